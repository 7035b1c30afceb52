// client.js makes the page's one client.

import { Windlass } from "/windlass.js";
import { forgetKey } from "./key.js";

/** A client of this origin. A key that is refused anywhere is given up at once. */
export function client(key) {
	const windlass = new Windlass({ url: location.origin, key });
	const request = windlass.request.bind(windlass);
	windlass.request = async (...args) => {
		try {
			return await request(...args);
		} catch (error) {
			error.status === 401 && refused(error);
			throw error;
		}
	};
	return windlass;
}

/** Gives the key up, and says why. */
export function refused(error) {
	forgetKey(`The key was refused: ${error.message}`);
}
