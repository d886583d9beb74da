// state.js: the state of a session and its changes. Pure functions: each returns a new state.

export const emptyState = { rig: "", nodes: [], nestedRigs: [], connections: [], scenes: [] };

const changed = (list, name, edit) => list.map((one) => (one.name === name ? edit(one) : one));

/** The state after one change of the event `changed`. Unknown kinds leave it as it is. */
export function reduce(state, change) {
  const node = (edit) => ({ ...state, nodes: changed(state.nodes, change.node, edit) });
  switch (change.change) {
    case "parameter":
      return node((one) => ({ ...one, parameters: withValue(one.parameters, "symbol", change.symbol, change.value) }));
    case "property":
      return node((one) => ({ ...one, properties: withValue(one.properties ?? [], "uri", change.uri, change.value) }));
    case "bypass":
    case "wet":
      return {
        ...node((one) => ({ ...one, [change.change]: change.value })),
        nestedRigs: changed(state.nestedRigs, change.node, (one) => ({ ...one, [change.change]: change.value })),
      };
    case "fault":
      return node((one) => ({ ...one, faulty: change.value }));
    case "gain":
      return {
        ...state,
        connections: changed(state.connections, change.connection, (one) => ({ ...one, gain: change.value })),
      };
    case "scenes":
      return { ...state, scenes: change.scenes };
    case "maps":
      return { ...state, maps: change.maps };
    case "transport":
      return { ...state, transport: change.transport };
    case "rig":
      return { ...emptyState, ...change.state };
    default:
      return state;
  }
}

function withValue(list, key, name, value) {
  const found = list.some((one) => one[key] === name);
  return found ? list.map((one) => (one[key] === name ? { ...one, value } : one)) : [...list, { [key]: name, value }];
}

/** Holds the state at a revision and informs listeners. `listener(change)`; a whole state is a change of kind `rig`. */
export class Store {
  state = emptyState;
  revision = undefined;
  #listeners = [];

  listen(listener) { this.#listeners.push(listener); }

  /** Takes a snapshot of `subscribe`. */
  restore(snapshot) {
    this.revision = snapshot.revision;
    this.#take({ change: "rig", state: snapshot.state });
  }

  /** Takes a revision: of an event, or of the reply to an own command. Revisions that are known already are skipped. */
  apply(revision) {
    if (!revision || (this.revision !== undefined && revision.revision <= this.revision)) return;
    this.revision = revision.revision;
    for (const change of revision.changes ?? []) this.#take(change);
  }

  #take(change) {
    this.state = reduce(this.state, change);
    for (const listener of this.#listeners) listener(change);
  }

  node(name) { return this.state.nodes.find((one) => one.name === name); }
  nestedRig(name) { return this.state.nestedRigs.find((one) => one.name === name); }
  value(name, symbol) { return this.node(name)?.parameters.find((one) => one.symbol === symbol)?.value; }
}
