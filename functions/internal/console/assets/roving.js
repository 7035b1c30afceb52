// roving.js makes a list one stop for the Tab key, with the arrow keys inside it.

const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Moves the focus among a container's items. They are looked up at each key, so
 * the list may change at any time; call the returned function when it has.
 * @param {any} container
 * @param {string} selector
 * @param {(item: any) => void} [moved] is told where the focus went
 */
export function roving(container, selector, moved = () => {}) {
	const known = () => /** @type {any[]} */ ([...container.querySelectorAll(selector)]);
	const items = () => known().filter((item) => item.offsetParent !== null);
	container.addEventListener("keydown", (event) => {
		const all = items();
		const to = target(event, all, all.indexOf(document.activeElement));
		if (to) {
			event.preventDefault();
			to.focus();
			moved(to);
		}
	});
	// The stop is set in a list that is not seen too: it may be shown as it is.
	container.addEventListener("focusin", (event) => stop(known(), event.target.closest(selector)));
	return () => stop(known(), undefined);
}

function target(event, all, at) {
	if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) {
		return undefined;
	}
	switch (event.key) {
		case "Home":
			return all[0];
		case "End":
			return all.at(-1);
	}
	return steps[event.key] && all[at + steps[event.key]];
}

// stop gives Tab its one item: the one in focus, else the chosen one, else the
// first. Writing only what changes keeps long lists quick.
function stop(all, focused) {
	const chosen = focused ?? all.find((item) => item.getAttribute("aria-current") === "true" || item.getAttribute("aria-selected") === "true") ?? all[0];
	for (const item of all) {
		const want = item === chosen ? 0 : -1;
		if (item.tabIndex !== want) {
			item.tabIndex = want;
		}
	}
}
