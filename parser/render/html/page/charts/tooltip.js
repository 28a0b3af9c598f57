// What floats beside the pointer. It says nothing that the table below a chart does not say.
import { dot, element } from "../dom.js";

/** @typedef {{name: string, value: string, colour?: string}} TipLine */
/** @typedef {{title: string, lines?: TipLine[], note?: string}} Tip */

const box = element("div", { id: "tip", hidden: true, "aria-hidden": "true" });

/** @param {Tip} tip @param {number} x @param {number} y of the window */
export function showTip(tip, x, y) {
  if (!box.isConnected) document.body.append(box);
  const list = element("dl");
  for (const line of tip.lines ?? []) {
    list.append(
      element("dt", {}, line.colour ? dot(line.colour) : null, line.name),
      element("dd", {}, line.value),
    );
  }
  box.replaceChildren(element("strong", {}, tip.title), list);
  if (tip.note) box.append(element("p", {}, tip.note));
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const left = x + 14 + width > innerWidth - 8 ? x - width - 14 : x + 14;
  const top = y + 14 + height > innerHeight - 8 ? y - height - 14 : y + 14;
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, top)}px`;
}

export function hideTip() {
  box.hidden = true;
}

/**
 * The same tip while the pointer is over an element.
 * @param {Element} node @param {() => Tip} tipOf
 */
export function tipOver(node, tipOf) {
  node.addEventListener("pointermove", (event) => {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    showTip(tipOf(), clientX, clientY);
  });
  node.addEventListener("pointerleave", hideTip);
}

/** A tip as words, for those who do not see it. @param {Tip} tip */
export function spokenTip(tip) {
  return [
    tip.title,
    ...(tip.lines ?? []).map((line) => `${line.name} ${line.value}`),
    tip.note ?? "",
  ]
    .filter((words) => words !== "")
    .join(", ");
}
