// coalesce.js: sends values of continuous controls: one command in flight for each key, and the last value wins.

export class Coalescer {
  #flights = new Map();

  /** Called with a key after its last value was sent: `onSettled(key)`. */
  onSettled = () => {};

  /** @param send sends a value of a key and returns a promise. */
  constructor(send) { this.send = send; }

  /** Sends the value now, or after the one that is in flight. */
  put(key, value) {
    const flight = this.#flights.get(key);
    if (flight) flight.next = { value };
    else this.#fly(key, value);
  }

  /** Whether a value of the key is on its way. */
  isBusy(key) { return this.#flights.has(key); }

  async #fly(key, value) {
    const flight = {};
    this.#flights.set(key, flight);
    try { await this.send(key, value); } finally {
      this.#flights.delete(key);
      if (flight.next) this.#fly(key, flight.next.value);
      else this.onSettled(key);
    }
  }
}
