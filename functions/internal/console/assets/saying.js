// saying.js shows an answer while it is written. It is not in the log yet, and may
// never be: that is said beside it, and it goes when the log has something in its place.

import { h, replace, write } from "./dom.js";
import { bytes } from "./format.js";
import { size } from "./values.js";

// Characters after which a block ends with its line, or, where no line ends, with a
// word: what is added costs the layout of one block.
const BLOCK = 4000;
const LONG = 16_000;

/** A text that grows at its end: nothing that stands there is written again. */
class Growing {
	constructor() {
		this.element = h("div", { class: "growing" });
		this.from = 0;
		this.length = 0;
	}

	/** @param {string} text all that came @param {number} from where it begins */
	show(text, from) {
		if (from !== this.from) {
			replace(this.element, from > 0 && h("p", { class: "note", text: "What was said before this is missing here." }));
			Object.assign(this, { from, length: 0, block: undefined });
		}
		for (let rest = text.slice(this.length); rest !== ""; ) {
			rest = rest.slice(this.append(rest));
		}
		this.length = text.length;
	}

	// append adds as much as the last block takes, and says how much that is.
	append(rest) {
		if (!this.block) {
			this.block = h("pre", { class: "text" });
			this.filled = 0;
			this.element.append(this.block);
		}
		const line = rest.indexOf("\n", Math.max(0, BLOCK - this.filled));
		const end = line < 0 ? rest.indexOf(" ", Math.max(0, LONG - this.filled)) : line;
		const part = end < 0 ? rest : rest.slice(0, end + 1);
		this.block.append(part);
		this.filled += part.length;
		this.block = end < 0 ? this.block : undefined;
		return part.length;
	}
}

/** One run of a model's call, on the page. */
export class Saying {
	/** @param {string} run names it */
	constructor(run) {
		this.run = run;
		this.text = new Growing();
		this.thoughts = new Growing();
		this.about = h("span", { class: "about" });
		this.thinking = h("details", { class: "reasoning", hidden: true, on: { toggle: () => this.think() } }, h("summary", {}, "Reasoning", this.about), this.thoughts.element);
		this.element = h("div", { class: "saying", role: "group", "aria-label": "Being written", "aria-busy": "true" },
			h("h4", { text: "Being written · not in the log yet" }), this.thinking, h("div", { class: "said" }, this.text.element));
	}

	/** How much of the page its text takes, in pixels. */
	get height() {
		return this.text.element.offsetHeight;
	}

	/** @param {any} said a Preview of the client's */
	show(said) {
		this.said = said;
		this.text.show(said.text, said.textFrom);
		if (said.reasoning) {
			this.thinking.hidden = false;
			write(this.about, bytes(said.reasoningFrom + size(said.reasoning)));
			this.think();
		}
	}

	// think writes the reasoning while somebody looks at it.
	think() {
		this.thinking.open && this.thoughts.show(this.said.reasoning, this.said.reasoningFrom);
	}
}
