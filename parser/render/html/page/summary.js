// The button beside the verdict that copies it as text, for a ticket or an e-mail: which run, the
// headline, its three figures, what perfect balance would save. All of it stands in the head
// (render_html.cc), so what is copied is what is seen.
import { element } from "./dom.js";
import { copyText } from "./export.js";

/** Figures that a reader takes along: those that stand first. */
const figuresInSummary = 3;
/** Milliseconds for which the button says that it has copied. */
const saysCopied = 2000;

/** @param {Element | null} node its text in one line, without marks such as ▲ */
function plainText(node) {
  const copy = /** @type {Element | undefined} */ (node?.cloneNode(true));
  copy?.querySelectorAll("[aria-hidden]").forEach((mark) => mark.remove());
  return (copy?.textContent ?? "").replace(/\s+/g, " ").trim();
}

/** "Load balance: 70% (problem), average / slowest compute time" @param {Element} card */
function cardText(card) {
  const [title, state, figure, note] = [".card-head span", ".state", ".figure", ".note"].map(
    (part) => plainText(card.querySelector(part)),
  );
  return `- ${title}: ${figure} (${state})${note ? `, ${note}` : ""}`;
}

export function summaryText() {
  /** @param {string} part of the page */
  const words = (part) => plainText(document.querySelector(part));
  const cards = [...document.querySelectorAll(".cards li")].slice(0, figuresInSummary);
  return [
    [words(".program strong"), words(".program span")].filter(Boolean).join(", "),
    `${words(".badge")}: ${words("h1")}`,
    words(".why"),
    ...cards.map(cardText),
    words(".gain"),
    words("footer p"),
  ]
    .filter(Boolean)
    .join("\n");
}

/** Stands behind the badge. */
export function summaryButton() {
  const title = "Copy summary";
  const button = element("button.summary", { title: "as text, for a ticket or an e-mail" }, title);
  button.addEventListener("click", async () => {
    await copyText(`${summaryText()}\n`);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = title), saysCopied);
  });
  return button;
}
