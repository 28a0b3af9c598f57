// What is selected, in every chart and table at once: one rank, which is called pinned, and places
// in the code. A row of a table is marked if it is of that rank, or speaks of those places. The
// page's address says it, too.

/** @type {number | null} */
let pinned = null;
/** @type {string[]} */
let chosenPlaces = [];
/** @type {Set<(rank: number | null) => void>} */
const pinListeners = new Set();

function tellSelection() {
  for (const listener of pinListeners) listener(pinned);
}

export function pinnedRank() {
  return pinned;
}

export function selectedPlaces() {
  return chosenPlaces;
}

/** @param {number | null} rank null = none */
export function pinRank(rank) {
  if (rank === pinned) return;
  pinned = rank;
  tellSelection();
}

/** @param {number} rank */
export function togglePin(rank) {
  pinRank(pinned === rank ? null : rank);
}

/** @param {string[]} places none = no selection */
export function selectPlaces(places) {
  if (places.join() === chosenPlaces.join()) return;
  chosenPlaces = places;
  tellSelection();
}

/** @param {string[]} places */
export function togglePlaces(places) {
  selectPlaces(places.join() === chosenPlaces.join() ? [] : places);
}

export function selectNothing() {
  selectPlaces([]);
  pinRank(null);
}

/**
 * Whether all of these places are selected, or all that is selected is among them: the call sites
 * at both ends of a part of the program, and all parts that begin or end at a call site.
 * @param {string[]} places
 */
export function isSelected(places) {
  if (places.length === 0 || chosenPlaces.length === 0) return false;
  return (
    places.every((place) => chosenPlaces.includes(place)) ||
    chosenPlaces.every((place) => places.includes(place))
  );
}

/** "cg.c:187 and cg.c:211 (2 s more)" speaks of two. @param {string | null | undefined} text */
export function placesIn(text) {
  return text?.match(/[^\s(),]+:\d+/g) ?? [];
}

/** @param {(rank: number | null) => void} listener of any change */
export function onPin(listener) {
  pinListeners.add(listener);
}

// The part of the page's address behind #: it names the section and the pinned rank
// ("#balance&rank=12"), so that a link can lead there.

/** @typedef {{section: string, rank: number | null}} Address */

/** @param {string} hash @returns {Address} */
export function parseAddress(hash) {
  const [section = "", ...parts] = hash.replace(/^#/, "").split("&");
  const rank = new URLSearchParams(parts.join("&")).get("rank");
  return { section, rank: rank !== null && /^\d{1,10}$/.test(rank) ? Number(rank) : null };
}

/** @param {Address} address */
export function addressText({ section, rank }) {
  return `#${section}${rank === null ? "" : `&rank=${rank}`}`;
}
