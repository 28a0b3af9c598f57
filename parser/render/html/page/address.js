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
