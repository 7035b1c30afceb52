// views.js is the row of tabs. A wide page always shows sessions and transcript and
// one view beside them; a narrow one shows the one view that is chosen.

import { h, icon, set, the } from "./dom.js";
import { roving } from "./roving.js";

const names = { sessions: "Sessions", transcript: "Turns", timeline: "Timeline", files: "Files", log: "Log", verify: "Verify" };
const beside = ["timeline", "files", "log", "verify"];
const wide = matchMedia("(min-width: 1100px)");

export class Views {
	constructor(shown = () => {}) {
		this.shown = shown;
		this.side = "timeline";
		this.tabs = new Map(Object.keys(names).map((name) => [name, this.tab(name)]));
		the("tabs").append(...this.tabs.values());
		roving(the("tabs"), ".tab:not([hidden])", (tab) => this.show(tab.dataset.view));
		this.tabs.get("verify").hidden = true;
		wide.addEventListener("change", () => this.show(wide.matches ? this.side : this.current));
		the("widen").append(icon("widen"));
		the("widen").addEventListener("click", () => this.widen());
		this.show(wide.matches ? "timeline" : "transcript");
	}

	/** Gives the view beside the transcript the transcript's room too, or takes it back. */
	widen(is = !the("console").classList.contains("widened")) {
		the("console").classList.toggle("widened", is);
		set(the("widen"), "aria-pressed", String(is));
	}

	tab(name) {
		return h("button", {
			class: `tab tab-${name}`, type: "button", role: "tab", id: `tab-${name}`, "data-view": name, "aria-controls": `panel-${name}`,
			on: { click: () => this.show(name) }, text: names[name],
		});
	}

	/** Shows a view. */
	show(name) {
		this.current = name;
		name === "transcript" && this.widen(false);
		if (beside.includes(name)) {
			this.side = name;
		}
		the("console").dataset.view = name;
		for (const [other, tab] of this.tabs) {
			const selected = other === (wide.matches ? this.side : name);
			set(tab, "aria-selected", String(selected));
			tab.tabIndex = selected ? 0 : -1;
		}
		for (const other of beside) {
			the(`panel-${other}`).hidden = other !== this.side;
		}
		this.shown(name);
	}

	/** Whether a view is on the page now. */
	visible(name) {
		return wide.matches ? !beside.includes(name) || name === this.side : name === this.current;
	}

	/** Offers a view that is not there by default. */
	offer(name) {
		this.tabs.get(name).hidden = false;
	}
}
