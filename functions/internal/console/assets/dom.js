// dom.js makes elements. It is the only way in which the console puts anything on
// the page, and it knows text and attributes only: what a model, a tool or a file
// says stays text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element. Children are nodes or texts; what is null or false is left out.
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes; `class`, `text` and `on: {event: listener}` besides
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
	return fill(document.createElement(tag), props, children);
}

/** Makes an element of SVG, as {@link h} does one of HTML. */
export function svg(tag, props = {}, ...children) {
	return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
	for (const [name, value] of Object.entries(props)) {
		set(element, name, value);
	}
	add(element, ...children);
	return element;
}

/** Sets one attribute; null and false take it away. */
export function set(element, name, value) {
	if (name === "text") {
		element.textContent = value;
	} else if (name === "on") {
		for (const [event, listener] of Object.entries(value)) {
			element.addEventListener(event, listener);
		}
	} else if (value === null || value === undefined || value === false) {
		element.removeAttribute(name);
	} else {
		element.setAttribute(name, value === true ? "" : String(value));
	}
}

/** Appends nodes and texts. */
export function add(element, ...children) {
	for (const child of children.flat(Infinity)) {
		if (child !== null && child !== undefined && child !== false) {
			element.append(child);
		}
	}
	return element;
}

/** Puts these children in place of those that are there. */
export function replace(element, ...children) {
	element.replaceChildren();
	return add(element, ...children);
}

/**
 * Makes these elements the children, in this order. One that stays, among others in the
 * order they had, is not taken off the page: a press that began on it ends on it.
 */
export function arrange(element, children) {
	const wanted = new Set(children);
	[...element.children].forEach((child) => wanted.has(child) || child.remove());
	children.forEach((child, i) => element.children[i] === child || element.insertBefore(child, element.children[i] ?? null));
}

/** Writes a text only if it differs, so that nothing is announced or laid out twice. */
export function write(element, text) {
	if (element.textContent !== text) {
		element.textContent = text;
	}
}

/** The element of the page with this id. */
export function the(id) {
	const found = document.getElementById(id);
	if (!found) {
		throw new Error(`the page has no #${id}`);
	}
	return /** @type {any} */ (found);
}

const shapes = {
	check: "M3.5 8.5l3 3 6-7",
	cross: "M4 4l8 8M12 4l-8 8",
	halt: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11zM4.2 11.8l7.6-7.6",
	pause: "M6 4v8M10 4v8",
	unknown: "M5.6 6.2a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.7M8 12.6h.01",
	note: "M8 3v6M8 12.4h.01",
	ring: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z",
	arc: "M8 3a5 5 0 0 1 5 5",
	dots: "M4 8h.01M8 8h.01M12 8h.01",
	takeover: "M12.5 7A4.6 4.6 0 0 0 4 5.5M3.5 9A4.6 4.6 0 0 0 12 10.5M4 2.5v3h3M12 13.5v-3H9",
	file: "M4.5 2.5h4.7l2.8 2.8v8.2H4.5zM9 2.5v3h3",
	folder: "M2.5 4.5h4l1.5 2h5.5v7h-11z",
	down: "M8 3v9M4.5 8.5L8 12l3.5-3.5",
	widen: "M9.5 3H13v3.5M6.5 13H3V9.5M13 3L9 7M3 13l4-4",
	out: "M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3L7.5 8.5",
	again: "M12.5 8A4.5 4.5 0 1 1 11 4.6M11.5 2v3h-3",
};

/** A small picture beside words that say the same; screen readers pass over it. */
export function icon(name) {
	return svg("svg", { class: `icon icon-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shapes[name] }));
}

/** A button. */
export function button(text, click, props = {}) {
	return h("button", { type: "button", ...props, on: { click } }, text);
}

/** Calls a function at most once a frame, and where frames are not drawn at most twice a second. */
export function eachFrame(call) {
	let due = false;
	const run = () => {
		due = false;
		call();
	};
	return () => {
		if (!due) {
			due = true;
			document.hidden ? setTimeout(run, 500) : requestAnimationFrame(run);
		}
	};
}
