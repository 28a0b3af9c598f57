// What all pages have around their sections: the list of sections, which of them is on screen and
// the address that leads there, and the tools in the bar.
import { breakWell, byId, element } from "./dom.js";
import { copyText, saveFile, summaryButton } from "./export.js";
import { sections } from "./panel.js";
import {
  addressText,
  onPin,
  parseAddress,
  pinnedRank,
  pinRank,
  selectNothing,
} from "./selection.js";
import { themeButton } from "./theme.js";
import { unpacked } from "./unpack.js";

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

// What the pages of mprof report and mprof diff have around their sections: the tools in the bar,
// the text report that is folded, the copy of the verdict, and the mark that says when the page is
// ready (data-ready-ms of the root element, milliseconds since the page was asked for).

/** Milliseconds for which the button shows the command. */
const showsCommand = 6000;

/** Copies the command that writes the JSON, and shows it. */
function commandButton() {
  const command = document.querySelector("footer code")?.textContent ?? "";
  if (command === "") return null;
  const title = "The JSON is too large for this page: copies the command that writes it";
  const button = element("button", { title }, "JSON command");
  button.addEventListener("click", async () => {
    await copyText(command);
    button.textContent = `Copied: ${command}`;
    setTimeout(() => (button.textContent = "JSON command"), showsCommand);
  });
  return button;
}

/**
 * Saves the JSON document, as the command writes it. The page of a large run has none: its footer
 * and this button say how to get it.
 * @param {string} fileName
 */
function jsonButton(fileName) {
  if (!byId("document").textContent) return commandButton();
  const save = () => saveFile(fileName, "application/json", unpacked("document"));
  return element("button", { "aria-label": "Save all data as JSON", onclick: save }, "JSON");
}

/**
 * Behind the last section.
 * @param {{fileName: string, ranks: number}} page
 */
export function startPage({ fileName, ranks }) {
  const text = /** @type {HTMLDetailsElement | null} */ (document.querySelector("#text details"));
  if (text) text.open = false;
  breakWell(byId("verdict"));
  document.querySelector(".badge")?.after(" ", summaryButton());
  byId("tools").append(
    themeButton(),
    element("button.print", { onclick: () => print() }, "Print"),
    jsonButton(`${fileName}.json`) ?? "",
  );
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") selectNothing();
  });
  startNavigation(ranks);
  document.documentElement.dataset.readyMs = performance.now().toFixed(1);
}
