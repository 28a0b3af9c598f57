// The one rank that is pinned, in every chart at once.

/** @type {number | null} */
let pinned = null;
/** @type {Set<(rank: number | null) => void>} */
const pinListeners = new Set();

export function pinnedRank() {
  return pinned;
}

/** @param {number | null} rank null = none */
export function pinRank(rank) {
  if (rank === pinned) return;
  pinned = rank;
  for (const listener of pinListeners) listener(rank);
}

/** @param {number} rank */
export function togglePin(rank) {
  pinRank(pinned === rank ? null : rank);
}

/** @param {(rank: number | null) => void} listener */
export function onPin(listener) {
  pinListeners.add(listener);
}
