// The list of sections, which of them is on screen, and the address that leads there.
import { addressText, parseAddress } from "./address.js";
import { byId, element } from "./dom.js";
import { sections } from "./panel.js";
import { onPin, pinRank, pinnedRank } from "./selection.js";

/** In pixels. */
const roomBelowBar = 20;

/** @param {string} section */
function remember(section) {
  const text = addressText({ section, rank: pinnedRank() });
  if (text !== location.hash && !(text === "#" && location.hash === ""))
    history.replaceState(null, "", text);
}

/** Puts the list of sections into the bar. @param {number} ranks */
export function startNavigation(ranks) {
  const nav = byId("nav");
  const links = new Map(
    sections
      .filter(({ title }) => title)
      .map(({ id, title }) => [id, element("a", { href: `#${id}` }, title)]),
  );
  nav.append(...links.values());
  // The bar has two lines where the names need them. What is jumped to must be below it.
  const bar = byId("bar");
  new ResizeObserver(() => {
    document.documentElement.style.scrollPaddingTop = `${bar.offsetHeight + roomBelowBar}px`;
  }).observe(bar);
  let current = "";

  /** @param {string} id */
  const mark = (id) => {
    if (id === current) return;
    current = id;
    for (const [name, link] of links) {
      if (name === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const link = links.get(id);
    if (link)
      nav.scrollTo({
        left: link.offsetLeft - nav.offsetLeft - nav.clientWidth / 2 + link.offsetWidth / 2,
      });
  };

  const look = () => {
    const line = innerHeight / 3;
    const under = sections.filter(({ node }) => node.getBoundingClientRect().top < line);
    const last = under.at(-1);
    mark(last ? last.id : "");
    remember(last ? last.id : "");
  };
  /** @type {number | undefined} */
  let timer;
  addEventListener(
    "scroll",
    () => {
      clearTimeout(timer);
      timer = setTimeout(look, 120);
    },
    { passive: true },
  );

  nav.addEventListener("click", (event) => {
    const link = event.target instanceof HTMLAnchorElement ? event.target : null;
    if (!link) return;
    event.preventDefault();
    goTo(link.hash.slice(1));
  });

  /** @param {string} id */
  const goTo = (id) => {
    document.getElementById(id)?.scrollIntoView();
    mark(id);
    remember(id);
  };

  const follow = () => {
    const { section, rank } = parseAddress(location.hash);
    pinRank(rank !== null && rank < ranks ? rank : null);
    if (section) document.getElementById(section)?.scrollIntoView();
    mark(section);
  };
  addEventListener("hashchange", follow);
  onPin(() => remember(current));
  follow();
}
