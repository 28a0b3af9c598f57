// Takes data out of the page: to a file or to the clipboard, and the boxes and buttons for that.
// All works without a network, from a file.
import { announce, element } from "./dom.js";

/** @param {string} name @param {string} type @param {string} text */
export function saveFile(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** @param {string} text Where the clipboard is refused (plain http), by way of a text field. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = element("textarea.hidden", {});
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  announce("copied");
}

/**
 * What a reader pastes elsewhere: text in a box of its own, with a button in its corner.
 * @param {string} name @param {string} shown @param {Node | null} tool
 */
export function codeBox(name, shown, tool) {
  const text = element("pre", { tabindex: 0, "aria-label": name }, shown);
  return element("div.code-box", {}, text, tool);
}

/** @param {string} name @param {string} words */
export function copyButton(name, words) {
  const copy = () => void copyText(words);
  return element("button", { "aria-label": `Copy ${name}`, onclick: copy }, "Copy");
}

// The button beside the verdict copies it as text, for a ticket or an e-mail: which run, the
// headline, its three figures, what perfect balance would save, what to try next. All of it stands
// in the head (render_html.cc), so what is copied is what is seen.

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

/** "1. Take node03 out (high confidence, up to 13.9 s). Its cores ..." @param {Element} step
 * @param {number} i */
function stepText(step, i) {
  const [action, worth] = [".step strong", ".tag"].map((part) =>
    plainText(step.querySelector(part)),
  );
  const rest = [...step.querySelectorAll("p:not(.step)")].map(plainText);
  const end = /[.:]$/.test(action ?? "") ? "" : ".";
  return `${i + 1}. ${action}${worth ? ` (${worth})` : ""}${end} ${rest.map(sentence).join(" ")}`;
}

/** With its full stop. @param {string} text */
function sentence(text) {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}

function summaryText() {
  /** @param {string} part of the page */
  const words = (part) => plainText(document.querySelector(part));
  const cards = [...document.querySelectorAll(".cards li")].slice(0, figuresInSummary);
  return [
    [words(".program strong"), words(".program span")].filter(Boolean).join(", "),
    `${words(".badge")}: ${words("h1")}`,
    words(".why"),
    ...cards.map(cardText),
    words(".gain"),
    ...nextSteps(),
    words("footer p"),
  ]
    .filter(Boolean)
    .join("\n");
}

/** What to try next, under its title; none where nothing is known. */
function nextSteps() {
  const title = plainText(document.querySelector(".steps h2"));
  const steps = [...document.querySelectorAll(".steps li:has(.step)")];
  return steps.length > 0 ? [`${title}:`, ...steps.map(stepText)] : [];
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
