// The window of time that is brushed: one for all strips, the panel and the table of phases.

/** @typedef {import("./time_data.js").TimeWindow} TimeWindow */

export class ChosenWindow {
  constructor() {
    /** @type {TimeWindow | null} */
    this.window = null;
    /** @type {((window: TimeWindow | null) => void)[]} */
    this.listeners = [];
  }

  /** @param {(window: TimeWindow | null) => void} listener */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** @param {TimeWindow | null} window */
  set(window) {
    const is = this.window;
    if (is === window || (is && window && is.from === window.from && is.to === window.to)) return;
    this.window = window;
    for (const listener of this.listeners) listener(window);
  }

  /** The same one again: none. @param {TimeWindow} window */
  toggle(window) {
    this.set(this.isWindow(window) ? null : window);
  }

  /** @param {TimeWindow} window */
  isWindow({ from, to }) {
    return this.window?.from === from && this.window.to === to;
  }
}
