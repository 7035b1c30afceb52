// client.js makes the page's one client.

import { Windlass } from "/windlass.js";
import { forgetKey } from "./key.js";

/**
 * A client of this origin. A key that the API refuses is given up at once. The
 * process's own routes take one key alone: that they refuse one says nothing of it.
 */
export function client(key) {
	const windlass = new Windlass({ url: location.origin, key });
	const request = windlass.request.bind(windlass);
	windlass.request = async (method, path, options) => {
		try {
			return await request(method, path, options);
		} catch (error) {
			error.status === 401 && path.startsWith("/v1/") && refused();
			throw error;
		}
	};
	return windlass;
}

/** Gives the key up, and says why. */
export function refused() {
	forgetKey("The key was refused: it is not a whole key of this deployment, or it was revoked. Enter another one.");
}
