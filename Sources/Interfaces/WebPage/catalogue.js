// catalogue.js: the dialog that searches all plugins by purpose.
import { el, button, fillWith } from "./dom.js";
import { icon, familyOf } from "./icons.js";
import { openDialog } from "./dialogs.js";

const SHOWN = 80, TYPING_MS = 150;
const PURPOSES = ["reverb", "delay", "compressor", "equaliser", "distortion", "chorus", "remove noise", "pitch", "limiter", "tuner", "looper"];

/** Opens the catalogue. `choose(plugin)` is called with the plugin's id after the dialog has closed. */
export function openCatalogue(session, title, choose) {
  const list = el("ul", { class: "choices plugins", "aria-label": "Plugins" });
  const count = el("p", { class: "hint", role: "status" });
  let timer, serial = 0;
  const search = async () => {
    clearTimeout(timer);
    const mine = (serial += 1), query = input.value.trim();
    const reply = await session.run({ command: "plugins", ...(query ? { query, limit: SHOWN } : {}) });
    if (!reply || mine !== serial) return false;
    const plugins = query ? reply.plugins : sorted(reply.plugins);
    count.textContent = plugins.length === 0 ? `No plugin matches “${query}”. Try what it is for, such as “reverb”.`
      : plugins.length > SHOWN ? `${SHOWN} of ${plugins.length} plugins. Type to search.` : `${plugins.length} ${plugins.length === 1 ? "plugin" : "plugins"}`;
    fillWith(list, plugins.slice(0, SHOWN).map(item));
    dialog.scrollTop = 0;
    return dialog.open;
  };
  const chooseFirst = async (e) => {
    e.preventDefault();
    if (input.value.trim() && await search()) list.querySelector("button")?.click();
  };
  const input = el("input", { class: "text search", type: "search", placeholder: "What should it do?", "aria-label": "Search plugins",
    autocomplete: "off", spellcheck: "false", enterkeyhint: "go", oninput: () => { clearTimeout(timer); timer = setTimeout(search, TYPING_MS); },
    onkeydown: (e) => { if (e.key === "ArrowDown") { e.preventDefault(); list.querySelector("button")?.focus(); } } });
  const item = (plugin) => el("li", {}, button({
    class: `choice plugin family-${familyOf(plugin.category || plugin.name)}`, "data-plugin": plugin.plugin,
    onclick: () => { dialog.close(); choose(plugin.plugin); }, onkeydown: (e) => step(e),
  }, el("span", { class: "slot-icon" }, icon(familyOf(plugin.category || plugin.name))),
  el("span", { class: "choice-text" }, plugin.name, plugin.summary && el("small", {}, plugin.summary)),
  el("span", { class: "choice-detail" }, [plugin.category, plugin.format === "lv2" ? "LV2" : "", channels(plugin)].filter(Boolean).join(" · "))));
  const purposes = el("div", { class: "purposes", role: "group", "aria-label": "Purposes" }, PURPOSES.map((one) => button({ class: "chip",
    onclick: () => { input.value = one; search(); } }, one)));
  const dialog = openDialog(title, { className: "tall" }, el("form", { class: "search-box", role: "search", onsubmit: chooseFirst }, icon("search"), input), purposes, count, list);
  input.focus();
  search();
  return dialog;
}

function step(e) {
  const item = e.currentTarget.closest("li");
  const next = { ArrowDown: item.nextElementSibling, ArrowUp: item.previousElementSibling }[e.key];
  if (next === undefined) return;
  e.preventDefault();
  (next?.querySelector("button") ?? e.currentTarget.closest("dialog").querySelector("input")).focus();
}

const channels = ({ inputs, outputs }) => (inputs === undefined ? "" : `${inputs} in, ${outputs} out`);

// Own modules first, since they report units, choices and readouts.
const sorted = (plugins) => [...plugins].sort((a, b) => (a.format === "lv2") - (b.format === "lv2") || a.name.localeCompare(b.name));
