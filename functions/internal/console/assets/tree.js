// tree.js turns the paths of files into the lines of a tree. It is pure.

/** @typedef {{path: string, name: string, level: number, folder: boolean, file?: any, count: number}} Node */

/**
 * The lines that are seen, folders first, each folder's only if it is open.
 * @param {Iterable<any>} files
 * @param {Set<string>} folded paths of folders that are closed
 * @returns {Node[]}
 */
export function lines(files, folded) {
	const root = { folders: new Map(), files: [] };
	for (const file of files) {
		insert(root, file);
	}
	const out = [];
	walk(root, "", 1, folded, out);
	return out;
}

function insert(root, file) {
	const parts = file.path.split("/").filter(Boolean);
	let at = root;
	for (const part of parts.slice(0, -1)) {
		if (!at.folders.has(part)) {
			at.folders.set(part, { folders: new Map(), files: [] });
		}
		at = at.folders.get(part);
	}
	at.files.push({ name: parts.at(-1) ?? file.path, file });
}

function walk(at, path, level, folded, out) {
	const byName = (a, b) => (a < b ? -1 : 1);
	for (const name of [...at.folders.keys()].sort(byName)) {
		const here = `${path}/${name}`;
		const inside = at.folders.get(name);
		out.push({ path: here, name, level, folder: true, count: inside.files.length + inside.folders.size });
		folded.has(here) || walk(inside, here, level + 1, folded, out);
	}
	for (const { name, file } of at.files.sort((a, b) => byName(a.name, b.name))) {
		out.push({ path: file.path, name, level, folder: false, file, count: 0 });
	}
}
