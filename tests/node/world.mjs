// A client, the deployment it talks to, and the clock that both live by.
import assert from "node:assert/strict";
import { Windlass } from "../../functions/internal/console/assets/windlass.js";
import { Clock } from "./clock.mjs";
import { Deployment } from "./deployment.mjs";

/** Runs a test in a world of its own, and looks whether the client left it tidy. */
export async function inWorld(live, options = {}) {
	const clock = new Clock();
	const deployment = new Deployment(clock);
	const windlass = new Windlass({ ...deployment.options, ...options });
	const states = [];
	windlass.addEventListener("state", ({ detail }) => states.push(detail.connection));
	try {
		await live({ clock, deployment, windlass, states });
		windlass.close();
		await clock.pass(1);
		assert.equal(clock.timers.size, 0, "timers outlive close()");
		assert.deepEqual(deployment.accused, []);
	} finally {
		clock.restore();
	}
}

/** Follows in the background: what was seen so far, and how it ended. */
export function follow(windlass, session, options) {
	const run = { seqs: [], events: [], error: undefined, ended: false };
	const read = async () => {
		for await (const event of windlass.events(session, options)) {
			run.seqs.push(event.seq);
			run.events.push(event);
		}
	};
	run.end = read()
		.catch((error) => (run.error = error))
		.then(() => (run.ended = true));
	return run;
}

/** A log of n events, of an operation that goes on. */
export function story(n, operationId = "op") {
	return Array.from({ length: n }, (_, i) => (i === 0 ? { type: "operation.accepted", operationId, data: { prompt: "p" } } : { type: "tool.completed", operationId, data: { n: i } }));
}

export const settled = (operationId = "op") => ({ type: "operation.completed", operationId, data: { output: "o" } });

export const heard = (deployment, type) => deployment.sockets.flatMap((socket) => socket.heard.filter((frame) => frame.type === type));

export const upTo = (n, after = 0) => Array.from({ length: n - after }, (_, i) => after + i + 1);
