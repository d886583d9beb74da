// drag.js: moves a card to another gap of the chain, with the mouse or after a long press.

const LONG_PRESS_MS = 300, SLOP = 8;

/** Listens on the element that scrolls. `drop(name, after)` is called with the names of the card and of the gap. */
export class DragMove {
  #press; #timer;

  constructor(scroller, drop) {
    this.scroller = scroller;
    this.drop = drop;
    scroller.addEventListener("pointerdown", (e) => this.#down(e));
    scroller.addEventListener("pointermove", (e) => this.#move(e));
    scroller.addEventListener("pointerup", (e) => this.#up(e));
    scroller.addEventListener("pointercancel", () => this.#end());
    scroller.addEventListener("touchmove", (e) => { if (this.#press?.ghost) e.preventDefault(); }, { passive: false });
    scroller.addEventListener("contextmenu", (e) => { if (this.#press) e.preventDefault(); });
  }

  #down(e) {
    const card = e.target.closest("[data-movable], .nest");
    if (!card || e.button > 0 || e.target.closest(".power")) return;
    this.#press = { card, x: e.clientX, y: e.clientY, id: e.pointerId };
    if (e.pointerType !== "mouse") this.#timer = setTimeout(() => this.#start(), LONG_PRESS_MS);
  }

  #start() {
    const press = this.#press;
    const box = press.card.getBoundingClientRect();
    press.ghost = press.card.cloneNode(true);
    press.ghost.classList.add("ghost");
    press.ghost.setAttribute("aria-hidden", "true");
    Object.assign(press.ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
    document.body.append(press.ghost);
    press.card.classList.add("dragged");
    this.scroller.setPointerCapture(press.id);
    this.scroller.classList.add("dragging");
  }

  #move(e) {
    const press = this.#press;
    if (!press) return;
    const dx = e.clientX - press.x, dy = e.clientY - press.y;
    if (!press.ghost) {
      if (Math.hypot(dx, dy) < SLOP) return;
      if (e.pointerType !== "mouse") { this.#end(); return; }
      this.#start();
    }
    press.ghost.style.transform = `translate(${dx}px, ${dy}px) rotate(1deg)`;
    this.#scroll(e.clientX);
    this.#aim(e.clientX, e.clientY);
  }

  #scroll(x) {
    const box = this.scroller.getBoundingClientRect();
    if (x < box.left + 40) this.scroller.scrollLeft -= 12;
    if (x > box.right - 40) this.scroller.scrollLeft += 12;
  }

  #aim(x, y) {
    const gaps = [...this.scroller.querySelectorAll("[data-after]")];
    const distance = (gap) => {
      const box = gap.getBoundingClientRect();
      return Math.hypot(box.left + box.width / 2 - x, box.top + box.height / 2 - y);
    };
    const nearest = gaps.sort((a, b) => distance(a) - distance(b))[0];
    if (this.#press.gap !== nearest) {
      this.#press.gap?.classList.remove("target");
      nearest?.classList.add("target");
      this.#press.gap = nearest;
    }
  }

  #up(e) {
    const press = this.#press;
    if (press?.ghost && press.gap) {
      e.preventDefault();
      this.drop(press.card.dataset.unit, press.gap.dataset.after);
    }
    this.#end();
  }

  #end() {
    clearTimeout(this.#timer);
    const press = this.#press;
    this.#press = undefined;
    if (!press) return;
    press.ghost?.remove();
    press.gap?.classList.remove("target");
    press.card.classList.remove("dragged");
    this.scroller.classList.remove("dragging");
    // The click that follows a drag must not open the card.
    if (!press.ghost) return;
    const stop = (e) => e.stopPropagation();
    this.scroller.addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => this.scroller.removeEventListener("click", stop, { capture: true }));
  }
}
