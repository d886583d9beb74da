// connection.js: the WebSocket of a session: signing in, commands with their replies, events, and connecting again.

const RETRY_MS = [300, 700, 1500, 3000, 5000];
const REFUSED = 4401;
const CHECK_MS = 1000, SILENT_CHECKS = 3;

/** A command that the session refused, with its message, `kind` and `fields`. */
export class CommandError extends Error {
  constructor({ message, kind, fields }) {
    super(message);
    this.kind = kind;
    this.fields = fields ?? {};
  }
}

/**
 * A connection that opens again by itself. Set the callbacks before `open`:
 * `onState(state)` with `connecting`, `open`, `lost` or `refused`; `onEvent(event)`; `onPaired(token)`;
 * `onSilence(isSilent)` if the session sends nothing, and when it does again.
 */
export class Connection {
  onState = () => {};
  onEvent = () => {};
  onPaired = () => {};
  onSilence = () => {};
  #socket; #credentials; #attempt = 0; #timer; #nextID = 1; #signedIn = false; #checks; #quietChecks = 0;
  #waiting = new Map();

  constructor(url, makeSocket = (address) => new WebSocket(address, "outboard.v1")) {
    this.url = url;
    this.makeSocket = makeSocket;
  }

  /** Connects with `{token}`, or pairs with `{code, name}`. */
  open(credentials) {
    this.#credentials = credentials;
    this.#attempt = 0;
    this.#connect();
  }

  /** Connects at once if the connection is lost, for example when the phone wakes up. */
  retryNow() {
    if (this.#timer) this.#connect();
  }

  /** Sends a command that has no reply. */
  post(command) {
    if (this.#signedIn) this.#socket.send(JSON.stringify(command));
  }

  /** Sends a command and returns its reply. Throws `CommandError`. */
  request(command) {
    if (!this.#signedIn) return Promise.reject(new CommandError({ message: "The session is not connected.", kind: "lost" }));
    return this.#send(command);
  }

  #send(command) {
    const id = (this.#nextID += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ ...command, id }));
    });
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drop();
    this.onState("connecting");
    const socket = this.makeSocket(this.url);
    this.#socket = socket;
    socket.onopen = () => this.#signIn(socket);
    socket.onmessage = (message) => { if (socket === this.#socket) this.#receive(message.data); };
    socket.onclose = (close) => { if (socket === this.#socket) this.#closed(close.code); };
    this.#checks = setInterval(() => this.#check(), CHECK_MS);
  }

  async #signIn(socket) {
    const { token, code, name } = this.#credentials;
    try {
      const reply = await this.#send(token ? { command: "authenticate", token } : { command: "pair", code, name });
      if (socket !== this.#socket) return;
      if (reply.token) {
        this.#credentials = { token: reply.token };
        this.onPaired(reply.token);
      }
      this.#signedIn = true;
      this.#attempt = 0;
      this.onState("open");
    } catch (error) {
      if (socket === this.#socket && error.kind !== "lost") this.#refuse(error.message);
    }
  }

  // Counts checks, not seconds: a browser stops a hidden page, whose messages then wait.
  #check() {
    this.#quietChecks += 1;
    if (this.#quietChecks === SILENT_CHECKS) this.onSilence(true);
  }

  #endSilence() {
    if (this.#quietChecks >= SILENT_CHECKS) this.onSilence(false);
    this.#quietChecks = 0;
  }

  #refuse(message) {
    this.#drop();
    this.onState("refused", message);
  }

  #receive(text) {
    let message;
    try { message = JSON.parse(text); } catch { return; }
    this.#endSilence();
    if (message.event) return this.onEvent(message);
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return undefined;
    this.#waiting.delete(message.id);
    return message.error ? waiting.reject(new CommandError(message.error)) : waiting.resolve(message);
  }

  #closed(code) {
    this.#drop();
    if (code === REFUSED) return this.onState("refused");
    const delay = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)];
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.#connect(), delay);
    return this.onState("lost");
  }

  // Gives the socket up. Commands without a reply fail.
  #drop() {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#signedIn = false;
    clearInterval(this.#checks);
    this.#endSilence();
    for (const one of this.#waiting.values()) one.reject(new CommandError({ message: "The connection was lost.", kind: "lost" }));
    this.#waiting.clear();
    if (socket) {
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
    }
  }
}
