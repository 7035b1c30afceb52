// hash.js computes a hash in the browser. It is pure.

/**
 * The SHA-256 of bytes, in lower-case hex. Undefined where the browser computes none: of
 * a page that came from another machine without TLS.
 */
export async function sha256(/** @type {Uint8Array} */ bytes) {
	if (!globalThis.crypto?.subtle) {
		return undefined;
	}
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return [...sum].map((b) => b.toString(16).padStart(2, "0")).join("");
}
