// dom.js: builds elements. Text becomes text nodes only, so that names from plugins and rigs never become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "onclick") element.addEventListener("click", (e) => markBusy(element, value(e)));
    else if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...shown(children));
  return element;
}

const shown = (children) => children.flat().filter((one) => one !== undefined && one !== null && one !== false);

/** An HTML element. Attributes that are functions are listeners, such as `onclick`. */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A button with the text or the elements. */
export const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);

export const byId = (id) => document.getElementById(id);

/** Replaces the children of an element. The focus stays on what has the same name, or moves to the first part. */
export function fillWith(element, ...children) {
  const active = document.activeElement, hadFocus = active !== element && element.contains(active);
  element.replaceChildren(...shown(children));
  if (!hadFocus) return;
  const parts = [...element.querySelectorAll("button, input, select, summary, [tabindex]")];
  (parts.find((one) => nameOf(one) === nameOf(active)) ?? parts[0])?.focus({ preventScroll: true });
}

const nameOf = (element) => element.getAttribute("aria-label") ?? element.closest("[data-unit]")?.dataset.unit ?? element.textContent;

const lastWork = new WeakMap();
/** Marks an element as busy until its last command is settled. Anything but a promise is ignored. */
export function markBusy(element, work) {
  if (!work?.then) return;
  lastWork.set(element, work);
  element.ariaBusy = "true";
  const end = () => { if (lastWork.get(element) === work) element.ariaBusy = null; };
  work.then(end, end);
}

/** Text only if it differs, so that screen readers and layout have no work. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let lastNumber = 0;
/** An id that is unique in the page. */
export const uniqueId = (prefix) => `${prefix}-${(lastNumber += 1)}`;
