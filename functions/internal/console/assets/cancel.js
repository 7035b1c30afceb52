// cancel.js is the button that ends an operation. It tells apart that somebody wants
// it, that the log has it, and that it is done.

import { button, h, set, write } from "./dom.js";
import { settled } from "./fold.js";

export class Cancel {
	/**
	 * @param {any} operation as the fold has it
	 * @param {(id: string) => Promise<any>} cancel
	 * @param {() => void} left takes the focus when there is nothing more to press
	 */
	constructor(operation, cancel, left) {
		Object.assign(this, { operation, cancel, left, asking: false, asked: false, shown: false });
		this.button = button("Cancel", () => this.press(), { class: "cancel small", "aria-label": `Cancel operation ${operation.id}`, hidden: true });
		this.why = h("p", { class: "error", role: "alert" });
	}

	// press asks once; the client sends it again until it is answered.
	async press() {
		if (this.asking || this.known()) {
			return;
		}
		this.asking = true;
		write(this.why, "");
		this.update();
		try {
			await this.cancel(this.operation.id);
			this.asked = true;
		} catch (error) {
			write(this.why, `It was not cancelled: ${error.message} (${error.code ?? "unreachable"}). Press Cancel again.`);
		}
		this.asking = false;
		this.update();
	}

	/** The log has the wish, as the answer or the event says. */
	known() {
		return this.asked || this.operation.cancelling;
	}

	/** Shows what has changed. Pressed, it stays in focus: it is not disabled. */
	update() {
		if (settled(this.operation.status)) {
			return this.gone();
		}
		this.shown = true;
		this.button.hidden = false;
		const busy = this.asking || this.known();
		const text = this.known() ? "Cancelling…" : this.asking ? "Asking…" : "Cancel";
		write(this.button, text);
		set(this.button, "aria-disabled", busy && "true");
		set(this.button, "aria-label", `${text} operation ${this.operation.id}`);
	}

	// gone leaves its room to a button that was seen, so that nothing moves.
	gone() {
		if (this.shown) {
			document.activeElement === this.button && this.left();
			this.button.classList.add("gone");
		}
		write(this.why, "");
	}
}
