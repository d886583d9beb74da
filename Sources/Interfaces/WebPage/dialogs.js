// dialogs.js: modal dialogs. The browser keeps the focus inside, closes them with Escape, and returns the focus.
import { el, button, byId, uniqueId } from "./dom.js";
import { icon, iconButton } from "./icons.js";

/** Opens a dialog with a title. Returns it; `close()` ends it. Only one of a kind is open. */
export function openDialog(title, { className = "" } = {}, ...content) {
  const id = uniqueId("title");
  const dialog = el("dialog", {
    class: `dialog ${className}`, "aria-labelledby": id,
    onclose: () => dialog.remove(),
    onclick: (e) => { if (e.target === dialog) dialog.close(); },
  }, el("div", { class: "dialog-body" },
    el("header", { class: "dialog-head" }, el("h2", { id, tabindex: "-1", autofocus: true }, title),
      iconButton("close", "Close", () => dialog.close())),
    ...content));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for one line of text. `accept(text)` returns an error message, or nothing when it is done. */
export function askText(title, { label, value = "", hint, accept, action, inputmode, extra = [] }) {
  const error = el("p", { class: "field-error", role: "alert" });
  const input = el("input", { class: "text", id: uniqueId("text"), value, inputmode, autocomplete: "off", spellcheck: "false",
    autocapitalize: "off" });
  const form = el("form", {
    class: "form",
    onsubmit: async (e) => {
      e.preventDefault();
      const problem = await accept(input.value);
      if (problem) error.textContent = problem;
      else dialog.close();
    },
  }, el("label", { class: "label", for: input.id }, label), input, hint && el("p", { class: "hint" }, hint), error,
  el("div", { class: "row" }, extra, el("button", { class: "primary", type: "submit" }, action)));
  const dialog = openDialog(title, { className: "small" }, form);
  input.focus();
  if (value.length > 1) input.select();
  else input.setSelectionRange(value.length, value.length);
  return dialog;
}

/** A list of large buttons. Each item: `{text, detail, icon, mark, run}`. */
export const choiceList = (items, empty) => el("ul", { class: "choices" }, items.length
  ? items.map((item) => el("li", {}, button({ class: "choice", onclick: item.run, "aria-current": item.mark && "true" },
    item.icon && icon(item.icon), el("span", { class: "choice-text" }, item.text),
    item.detail && el("span", { class: "choice-detail" }, item.detail))))
  : el("li", { class: "empty" }, empty));

/** Shows a message for some seconds. Errors stay longer and interrupt screen readers. */
export function toast(text, isError = false) {
  const list = byId("toasts");
  const same = [...list.children].find((one) => one.firstChild.textContent === text);
  same?.remove();
  const element = el("div", { class: isError ? "toast error" : "toast", role: isError ? "alert" : undefined },
    el("span", {}, text), iconButton("close", "Dismiss", () => element.remove()));
  list.append(element);
  while (list.children.length > 4) list.firstChild.remove();
  setTimeout(() => element.remove(), isError ? 10000 : 5000);
}
