// filecard.js shows a file that a prompt came with, or that a model made: as it was
// then, whatever stands in the workspace by now.

import { add, button, h, icon, replace, the } from "./dom.js";
import { bytes } from "./format.js";
import { pictures, saveAs } from "./preview.js";
import { contentOf, size } from "./values.js";

const INLINE = 1 << 20; // bytes up to which a picture is shown without being asked for

/** @param {any} file as an event has it @param {{blob: (sha256: string) => Promise<Response>, openFile: (path: string) => void}} app */
export function fileCard(file, app) {
	const { path, content } = file;
	const kind = file.type.split(";")[0].trim().toLowerCase();
	const picture = pictures.includes(kind);
	const name = path || file.name || (picture ? "a picture" : "a file");
	const save = button("Download", () => download(), { class: "quiet small", "aria-label": `Download ${name}` });
	const title = path ? button(path, () => app.openFile(path), { class: "link mono", title: "Open it in the files view" }) : h("span", { class: "mono", text: name });
	const line = h("p", { class: "file-line" }, icon("file"), title, h("span", { class: "about", text: `${kind} · ${bytes(size(content))}` }), save);
	const read = () => contentOf(content, app.blob);
	const download = () => busy(save, line, async () => saveAs(await read(), name.split("/").at(-1)));
	return h("div", { class: "file-card" }, line, picture && shown(name, kind, size(content), read));
}

// shown is a picture in a room that it has from the beginning: nothing moves when it comes.
function shown(name, kind, length, read) {
	const room = h("div", { class: "file-picture" });
	const show = async () => {
		try {
			const address = URL.createObjectURL(new Blob([await read()], { type: kind }));
			const free = () => URL.revokeObjectURL(address);
			replace(room, h("img", { src: address, alt: `The picture ${name}`, on: { load: free, error: () => (free(), replace(room, h("p", { class: "note", text: "Its bytes are no picture." }))) } }));
		} catch (error) {
			replace(room, h("p", { class: "error", text: `It could not be read: ${error.message}` }), button("Try again", show, { class: "small" }));
		}
	};
	length <= INLINE ? whenSeen(room, show) : room.append(button(`Show ${bytes(length)}`, show, { class: "small" }));
	return room;
}

// whenSeen leaves the pictures of a long session where they are until somebody comes near.
function whenSeen(element, call) {
	const watch = new IntersectionObserver((entries) => {
		if (entries.some((entry) => entry.isIntersecting)) {
			watch.disconnect();
			call();
		}
	}, { root: the("scroll"), rootMargin: "200px" });
	watch.observe(element);
}

async function busy(press, line, work) {
	press.disabled = true;
	line.querySelector(".error")?.remove();
	try {
		await work();
	} catch (error) {
		add(line, h("span", { class: "error", text: `It could not be downloaded: ${error.message}` }));
	} finally {
		press.disabled = false;
	}
}
