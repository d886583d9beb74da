// builtins.js: descriptions of the nodes that are part of the host. They are not in the plugin catalogue.

const NAMES = { mixer: "Mixer", recorder: "Recorder", player: "Player", meter: "Meter", analyser: "Analyser" };
const CATEGORIES = { mixer: "Mixer", recorder: "Recorder", player: "Player", meter: "Analyser", analyser: "Analyser" };

const gain = { minimum: -90, maximum: 24, default: 0, unit: "dB", scale: "linear" };
const KINDS = {
  gain,
  pan: { minimum: -1, maximum: 1, default: 0, scale: "linear" },
  mute: { minimum: 0, maximum: 1, default: 0, scale: "toggle" },
};

export const isBuiltIn = (node) => node.plugin in NAMES;

/** The description of a built-in node, made from its parameters; undefined for plugins. */
export function describeBuiltIn(node) {
  if (!isBuiltIn(node)) return undefined;
  const parameters = node.parameters.map(({ symbol }) => {
    const [, kind, channel] = /^([a-z]+)(?:_(\d+))?$/.exec(symbol) ?? [undefined, symbol];
    const name = kind.charAt(0).toUpperCase() + kind.slice(1);
    return { symbol, name: channel ? `Channel ${channel} ${kind}` : name, ...(KINDS[kind] ?? gain) };
  });
  return { id: node.plugin, name: NAMES[node.plugin], category: CATEGORIES[node.plugin], parameters, readouts: [], presets: [],
    properties: [], description: "" };
}
