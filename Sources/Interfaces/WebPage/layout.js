// layout.js: places the nodes of a rig in columns and lanes along the signal. Pure functions.

/** The top-level parts of a rig: `in`, nodes, nested rigs with their nodes, `out`. */
export function units(state) {
  const nested = state.nestedRigs.map((one) => one.name);
  const owner = (name) => nested.filter((rig) => name.startsWith(`${rig}/`)).sort((a, b) => a.length - b.length)[0];
  const result = [];
  for (const node of state.nodes) {
    const rig = owner(node.name);
    if (!rig) result.push({ kind: "node", name: node.name, nodes: [node] });
    else {
      const known = result.find((one) => one.kind === "rig" && one.name === rig);
      if (known) known.nodes.push(node);
      else result.push({ kind: "rig", name: rig, nodes: [node] });
    }
  }
  return [{ kind: "in", name: "in", nodes: [] }, ...result, { kind: "out", name: "out", nodes: [] }];
}

/** The unit at an end of a connection, such as `desk:3`. Exact names come first, since names may hold colons. */
export function unitAt(end, names) {
  if (names.has(end)) return end;
  const plain = end.replace(/:[^:]*$/, "");
  return names.has(plain) ? plain : undefined;
}

/** Connections between units. */
export function links(state) {
  const names = new Set(units(state).map((one) => one.name));
  return state.connections.flatMap((connection) => {
    const ends = splitName(connection.name, names);
    return ends ? [{ name: connection.name, gain: connection.gain, ...ends }] : [];
  });
}

// A node's name may hold " -> ": take the split at which both ends are known.
function splitName(name, names) {
  for (let at = name.indexOf(" -> "); at >= 0; at = name.indexOf(" -> ", at + 1)) {
    const from = unitAt(name.slice(0, at), names);
    const to = unitAt(name.slice(at + 4), names);
    if (from !== undefined && to !== undefined) return { from, to };
  }
  return undefined;
}

// The connections without those that close a loop, found along the signal from the input.
function withoutLoops(all, connections) {
  const done = new Set(), path = new Set(), loops = new Set();
  const visit = (name) => {
    if (done.has(name)) return;
    path.add(name);
    for (const link of connections.filter((one) => one.from === name)) {
      if (path.has(link.to)) loops.add(link);
      else visit(link.to);
    }
    path.delete(name);
    done.add(name);
  };
  for (const unit of all) visit(unit.name);
  return connections.filter((link) => !loops.has(link));
}

/** The column of each unit: the longest way from a source. Connections that close a loop do not count. */
export function columns(all, connections) {
  const sources = new Map(all.map((one) => [one.name, []]));
  for (const link of withoutLoops(all, connections)) sources.get(link.to)?.push(link.from);
  const result = new Map();
  const visit = (name) => {
    if (!result.has(name)) result.set(name, Math.max(-1, ...sources.get(name).map(visit)) + 1);
    return result.get(name);
  };
  for (const unit of all) visit(unit.name);
  // Sources other than the input are placed next to what they feed.
  for (const unit of all) {
    if (unit.name === "in" || sources.get(unit.name).length) continue;
    const targets = connections.filter((link) => link.from === unit.name).map((link) => result.get(link.to));
    if (targets.length) result.set(unit.name, Math.max(0, Math.min(...targets) - 1));
  }
  const others = all.filter((one) => one.name !== "out").map((one) => result.get(one.name));
  result.set("out", Math.max(result.get("out") ?? 0, 1, ...others));
  return result;
}

/** The lane of each unit, so that long connections pass beside other units. */
export function lanes(all, connections, column) {
  const taken = new Map();
  const key = (at, lane) => `${at} ${lane}`;
  const result = new Map();
  const order = [...all].sort((a, b) => column.get(a.name) - column.get(b.name) || rank(a) - rank(b));
  for (const unit of order) {
    const at = column.get(unit.name);
    const before = connections.filter((link) => link.to === unit.name && result.has(link.from));
    let lane = before.length ? Math.min(...before.map((link) => result.get(link.from))) : 0;
    const isEnd = before.length > 0;
    while (taken.has(key(at, lane)) && !(isEnd && canJoin(taken.get(key(at, lane)), unit.name))) lane += 1;
    result.set(unit.name, lane);
    taken.set(key(at, lane), unit.name);
    for (const link of connections.filter((one) => one.from === unit.name)) {
      for (let next = at + 1; next < column.get(link.to); next += 1) {
        if (!taken.has(key(next, lane))) taken.set(key(next, lane), { to: link.to });
      }
    }
  }
  return result;
}

const rank = (unit) => (unit.kind === "in" || unit.kind === "out" ? 0 : 1);
const canJoin = (holder, name) => typeof holder === "object" && holder.to === name;

export const METRICS = { width: 132, height: 92, gap: 48, lane: 20, end: 58, inset: 10, title: 44 };

function sizeOf(unit, m) {
  if (unit.kind === "in" || unit.kind === "out") return { w: m.end, h: m.height };
  if (unit.kind === "node") return { w: m.width, h: m.height };
  const count = Math.max(1, unit.nodes.length);
  return { w: count * m.width + (count - 1) * m.inset + 2 * m.inset, h: m.height + m.title + m.inset };
}

/** Boxes and lines in pixels: `{width, height, boxes: [{unit, x, y, w, h}], lines: [{link, path}]}`. */
export function arrange(state, m = METRICS) {
  const connections = links(state);
  const used = (unit) => unit.kind === "node" || unit.kind === "rig"
    || connections.some((link) => link.from === unit.name || link.to === unit.name);
  const all = units(state).filter(used);
  const column = columns(all, connections);
  const lane = lanes(all, connections, column);
  const widths = [], heights = [];
  for (const unit of all) {
    const { w, h } = sizeOf(unit, m);
    widths[column.get(unit.name)] = Math.max(widths[column.get(unit.name)] ?? 0, w);
    heights[lane.get(unit.name)] = Math.max(heights[lane.get(unit.name)] ?? 0, h);
  }
  const offsets = (sizes, gap) => sizes.length === 0 ? [] :
    Array.from(sizes, (size) => size ?? 0).map((_, i, list) => list.slice(0, i).reduce((sum, one) => sum + one + gap, 0));
  const xs = offsets(widths, m.gap), ys = offsets(heights, m.lane);
  const boxes = all.map((unit) => {
    const { w, h } = sizeOf(unit, m);
    const row = lane.get(unit.name);
    return { unit, column: column.get(unit.name), lane: row, x: xs[column.get(unit.name)],
      y: ys[row] + ((heights[row] ?? 0) - h) / 2, w, h };
  });
  const box = new Map(boxes.map((one) => [one.unit.name, one]));
  const lines = connections.map((link) => ({ link, path: linePath(box.get(link.from), box.get(link.to)) }));
  const total = (sizes, gap) => Array.from(sizes, (size) => size ?? 0).reduce((sum, one) => sum + one, 0)
    + Math.max(0, sizes.length - 1) * gap;
  return { width: total(widths, m.gap), height: total(heights, m.lane), boxes, lines };
}

function linePath(a, b) {
  const x1 = a.x + a.w, y1 = a.y + a.h / 2, x2 = b.x, y2 = b.y + b.h / 2;
  if (x2 < x1) { // A loop goes back below both.
    const low = Math.max(a.y + a.h, b.y + b.h) + 12;
    return `M${x1} ${y1} C${x1 + 30} ${y1} ${x1 + 30} ${low} ${x1 - 10} ${low} L${x2 + 10} ${low} C${x2 - 30} ${low} ${x2 - 30} ${y2} ${x2} ${y2}`;
  }
  // The line leaves its own lane at the last gap, or joins the other lane at the first.
  const bend = 24;
  return y2 <= y1
    ? `M${x1} ${y1} L${x2 - 2 * bend} ${y1} C${x2 - bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
    : `M${x1} ${y1} C${x1 + bend} ${y1} ${x1 + bend} ${y2} ${x1 + 2 * bend} ${y2} L${x2} ${y2}`;
}

/** Units in reading order: along the signal, then from top to bottom. */
export const readingOrder = (boxes) => [...boxes].sort((a, b) => a.column - b.column || a.lane - b.lane);

/** Where a unit goes if it moves one place along the signal: the keys of `move`, or undefined at an end. */
export function neighbour(state, name, direction) {
  const connections = links(state);
  if (direction > 0) {
    const next = connections.find((link) => link.from === name && link.to !== "out");
    return next && { after: next.to };
  }
  const previous = connections.find((link) => link.to === name && link.from !== "in");
  return previous && { before: previous.from };
}
