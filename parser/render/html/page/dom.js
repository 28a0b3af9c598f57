// Makes elements. Text only ever becomes text nodes, so nothing that a program named can become
// markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/**
 * @typedef {Record<
 *   string, string | number | boolean | null | undefined | ((event: any) => void)
 * >} Attributes
 */

const svgNamespace = "http://www.w3.org/2000/svg";

/** The end of a file's name and the line: "heat.c:81"; a number with its unit; and "rank 3". */
const together =
  /([^\s:(),/]{1,4}:\d+|\d[\d.]* (?:[mnµu]?s|[KMGTPE]?i?B(?:\/s)?)(?!\w)|\branks? \d+)/;
/** Where a long name may go on in the next line: behind ::, and before an address. */
const joint = /(?<=::)|(?<=\+)(?=0x)/;

/** @param {string} text */
function withJoints(text) {
  return text
    .split(joint)
    .flatMap((part, i) => (i === 0 ? [part] : [document.createElement("wbr"), part]));
}

/** Text in which lines end where a reader can bear it. @param {string} text */
function unbroken(text) {
  return text.split(together).flatMap((part, i) => {
    if (i % 2 === 0) return withJoints(part);
    const node = document.createElement("span");
    node.className = "unbroken";
    node.textContent = part;
    return [node];
  });
}

/** The same for text that the page came with. @param {HTMLElement} root */
export function breakWell(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = /** @type {Text[]} */ ([]);
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const text of texts)
    if (text.parentElement instanceof HTMLElement && text.parentElement.className !== "unbroken")
      text.replaceWith(...unbroken(text.data));
}

/**
 * @template {Element} E
 * @param {E} node @param {Attributes} attributes @param {Child[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) node.append(child);
    else node.append(...(node instanceof HTMLElement ? unbroken(String(child)) : [String(child)]));
  }
  return node;
}

/**
 * @template {string} T "p", "p.hint"
 * @typedef {T extends `${infer Name}.${string}` ? Name : T} TagName
 */
/**
 * @template {string} T
 * @typedef {TagName<T> extends keyof HTMLElementTagNameMap
 *   ? HTMLElementTagNameMap[TagName<T>] : HTMLElement} ElementOf
 */

/**
 * element("p.hint", { onclick: act }, "text", child): classes may follow the tag.
 * @template {string} T
 * @param {T} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {ElementOf<T>}
 */
export function element(tag, attributes = {}, ...children) {
  const [name = "", ...classes] = tag.split(".");
  const node = fill(document.createElement(name), attributes, children);
  if (classes.length > 0) node.className = classes.join(" ");
  return /** @type {any} */ (node);
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

/** A square of a colour that a list of keys or a tooltip shows. @param {string} colour */
export function dot(colour) {
  const node = element("span.dot", { "aria-hidden": "true" });
  node.style.background = colour;
  return node;
}

/** The element of this id, which the template has. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page lacks #${id}`);
  return node;
}

/** Tells readers who do not see a chart what the keyboard has reached. @param {string} words */
export function announce(words) {
  let place = document.getElementById("spoken");
  if (!place) {
    place = element("div", { id: "spoken", class: "hidden", "aria-live": "polite" });
    document.body.append(place);
  }
  place.textContent = words;
}
