// Finds room for the labels of a chart: none covers another one, a point or a line, and none leaves
// the chart. A label without room is left out: tips and tables have what it says.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
/** @typedef {{x: number, y: number, anchor?: "start" | "middle" | "end"}} Place of its baseline */

/** Of a bold character of 12 pixels, where % counts as one and a half, and of a line. */
const characterWidth = 7.6;
const lineHeight = 14;
/** Between two places of a line that are looked at. */
const lookEvery = 4;

export class LabelPlaces {
  /** @param {Box} room */
  constructor(room) {
    this.room = room;
    /** @type {Box[]} */
    this.taken = [];
  }

  /** Nothing is written over a line. @param {Point[]} points @param {number} [away] */
  keepOffLine(points, away = 2) {
    points.forEach((to, i) => {
      const from = points[i - 1] ?? to;
      const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / lookEvery);
      for (let step = 0; step <= steps; step++) {
        const x = from.x + ((to.x - from.x) * step) / Math.max(steps, 1);
        const y = from.y + ((to.y - from.y) * step) / Math.max(steps, 1);
        this.taken.push({ left: x - away, top: y - away, right: x + away, bottom: y + away });
      }
    });
  }

  /**
   * The first place that is free, or null.
   * @param {string} text @param {Place[]} places
   */
  find(text, places) {
    const width = (text.length + 0.5 * (text.split("%").length - 1)) * characterWidth;
    for (const place of places) {
      const { x, y, anchor = "start" } = place;
      const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
      const box = { left, top: y - lineHeight + 3, right: left + width, bottom: y + 3 };
      const { room } = this;
      if (box.left < room.left || box.right > room.right) continue;
      if (box.top < room.top || box.bottom > room.bottom) continue;
      const isFree = this.taken.every(
        (other) =>
          other.right < box.left ||
          other.left > box.right ||
          other.bottom < box.top ||
          other.top > box.bottom,
      );
      if (!isFree) continue;
      this.taken.push(box);
      return place;
    }
    return null;
  }
}
