// dom.js: builds elements. Text becomes text nodes only, so that names from plugins and rigs never become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** An HTML element. Attributes that are functions are listeners, such as `onclick`. */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A button with the text or the elements. */
export const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);

export const byId = (id) => document.getElementById(id);

/** Replaces the children of an element. */
export const fillWith = (element, ...children) =>
  element.replaceChildren(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));

/** Text only if it differs, so that screen readers and layout have no work. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let lastNumber = 0;
/** An id that is unique in the page. */
export const uniqueId = (prefix) => `${prefix}-${(lastNumber += 1)}`;
