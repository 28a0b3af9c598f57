// Round numbers for axes.

/**
 * 1, 2 or 5 times a power of ten.
 * @param {number} span @param {number} count about how many steps
 */
export function niceStep(span, count) {
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

/** Ranks come in powers of two. @param {number} span @param {number} count */
export function rankStep(span, count) {
  return 2 ** Math.max(0, Math.ceil(Math.log2(span / Math.max(count, 1))));
}

/**
 * Multiples of a step in [from, to).
 * @param {number} from @param {number} to @param {number} step
 */
export function ticksBetween(from, to, step) {
  const first = Math.ceil(from / step);
  return Array.from(
    { length: Math.max(Math.ceil(to / step) - first, 0) },
    (_, i) => (first + i) * step,
  );
}

/**
 * From 0 to `high`.
 * @param {number} high @param {number} count
 * @param {boolean} [areBytes] round ones are those in KiB, MiB ...
 */
export function ticksTo(high, count, areBytes = false) {
  if (!(high > 0)) return [0];
  const unit = areBytes ? 1024 ** Math.max(0, Math.floor(Math.log2(high) / 10)) : 1;
  return ticksBetween(0, high * (1 + 1e-9), niceStep(high / unit, count) * unit);
}
