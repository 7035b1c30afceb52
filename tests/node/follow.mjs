// WINDLASS_URL=http://127.0.0.1:8787 WINDLASS_KEY=... node --experimental-websocket tests/node/follow.mjs SESSION PROMPT
import { Windlass } from "../../functions/internal/console/assets/windlass.js";

const [session, prompt] = process.argv.slice(2);
const windlass = new Windlass({ url: process.env.WINDLASS_URL, key: process.env.WINDLASS_KEY });
const { operationId, after } = await windlass.submit(session, { prompt });
for await (const { seq, at, type, round = "", data } of windlass.events(session, { after, operationId })) {
	console.log(seq, at, type, round);
	if (type === "operation.completed") console.log(`\n${data.output}`);
}
windlass.close();
