// session.js: what the page does with a session: commands, the state from replies and events, plugin descriptions.
import { Store } from "./state.js";
import { Coalescer } from "./coalesce.js";
import { describeBuiltIn } from "./builtins.js";

const LEVELS_PER_SECOND = 20, WINDOW = 4;

export class Session {
  store = new Store();
  /** Called with messages for the user: `say(text, isError)`. */
  say = () => {};
  onLevels = () => {};
  onEvent = () => {};
  #descriptions = new Map(); #process; #levels = 0;
  #values = new Coalescer((key, value) => this.#sendValue(key, value));

  constructor(connection) {
    this.connection = connection;
    connection.onEvent = (event) => this.#receive(event);
    this.#values.onSettled = (key) => this.onSettled?.(...JSON.parse(key));
  }

  /**
   * Subscribes after the connection has opened, from the revision that the page knows. A session that was started anew
   * counts its revisions from the beginning, so the process is compared.
   */
  async subscribe() {
    const { status } = await this.connection.request({ command: "status" });
    if (status.process !== this.#process) this.store.revision = undefined;
    this.#process = status.process;
    this.onEvent({ event: "started", ...status });
    const reply = await this.connection.request({
      command: "subscribe", levels: LEVELS_PER_SECOND, protocol: 1,
      ...(this.store.revision === undefined ? {} : { revision: this.store.revision }),
    });
    if (reply.snapshot) this.store.restore(reply.snapshot);
  }

  /** Sends a command, applies its change, shows its messages. Throws `CommandError`. */
  async request(command) {
    const reply = await this.connection.request(command);
    this.store.apply(reply.change);
    for (const note of reply.notes ?? []) if (!isReport(command)) this.say(note);
    return reply;
  }

  /** Sends a command and shows its error. Returns the reply, or undefined. */
  async run(command) {
    try { return await this.request(command); } catch (error) { return this.say(error.message, true); }
  }

  /** Sends a command. Returns its error message, or undefined. */
  async attempt(command) {
    try { await this.request(command); } catch (error) { return error.message; }
    return undefined;
  }

  /** Sets a parameter while a control moves. Values in between may be skipped. */
  move(node, symbol, value) { this.#values.put(JSON.stringify([node, symbol]), value); }

  /** Whether a value that this page has set is on its way. */
  isMoving(node, symbol) { return this.#values.isBusy(JSON.stringify([node, symbol])); }

  set(node, values) { return this.run({ command: "set", node, values }); }

  async #sendValue(key, value) {
    const [node, symbol] = JSON.parse(key);
    await this.set(node, { [symbol]: value });
  }

  /** The description of a node's plugin: parameters, readouts, presets, properties. */
  describe(node) {
    const builtIn = describeBuiltIn(node);
    if (builtIn) return Promise.resolve(builtIn);
    if (!this.#descriptions.has(node.plugin)) {
      const reply = this.connection.request({ command: "plugin", plugin: node.plugin });
      this.#descriptions.set(node.plugin, reply.then((one) => one.plugin));
      reply.catch(() => this.#descriptions.delete(node.plugin));
    }
    return this.#descriptions.get(node.plugin);
  }

  #receive(event) {
    if (event.event === "levels") {
      this.onLevels(event);
      if ((this.#levels += 1) % WINDOW === 0) this.connection.post({ command: "acknowledge", sequence: event.sequence });
    } else if (event.event === "changed") this.store.apply(event);
    else this.onEvent(event);
  }
}

// `record` and `play` without an action report a state, which views poll and show themselves.
const isReport = (command) => (command.command === "record" || command.command === "play") && !command.action;
