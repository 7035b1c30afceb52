// keyboard.js gives single keys a meaning, and lists them. They rest while
// somebody types, and can be switched off.

import { button, h, replace, set, the } from "./dom.js";

const PLACE = "windlass.keys";

/**
 * @param {{keys: string, says: string, run: () => void}[]} shortcuts
 */
export function keyboard(shortcuts) {
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && !the("shortcuts").open) {
			/** @type {any} */ (document.activeElement)?.blur();
			return;
		}
		const found = shortcuts.find((s) => s.keys === event.key);
		if (!found || typing(event) || (off() && event.key !== "?")) {
			return;
		}
		event.preventDefault();
		found.run();
	});
	build(shortcuts);
	the("help").addEventListener("click", showShortcuts);
}

/** Opens the list. */
export function showShortcuts() {
	the("shortcuts").open || the("shortcuts").showModal();
}

const off = () => sessionStorage.getItem(PLACE) === "off";

function typing(event) {
	return event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog") !== null;
}

function build(shortcuts) {
	const all = [...shortcuts, { keys: "Ctrl or ⌘ + ⏎", says: "submit the prompt" }, { keys: "↑ ↓ Home End", says: "move in a list" }, { keys: "Esc", says: "close, or leave the field" }];
	const single = h("input", { type: "checkbox", id: "single-keys", checked: !off() });
	single.addEventListener("change", () => sessionStorage.setItem(PLACE, single.checked ? "on" : "off"));
	replace(the("shortcuts"), h("h2", { id: "shortcuts-title", text: "Shortcuts" }),
		h("dl", { class: "keys" }, all.flatMap((s) => [h("dt", {}, h("kbd", { text: s.keys })), h("dd", { text: s.says })])),
		h("label", { class: "row" }, single, "Single keys do this"), button("Close", () => the("shortcuts").close(), { class: "primary" }));
	set(the("shortcuts"), "closedby", "any");
}
