// The call tree of all ranks together: what is in it, how wide each box is, what a search finds.
// render/html/data/html_data_flame.cc writes the rows, in the order in which the tree is walked.
// The chart (flame_chart.js) draws what flameBoxes() gives. No DOM: Node.js tests this.

/**
 * @typedef {object} FlameNode
 * @property {string} name
 * @property {number} mpi seconds in MPI, over all ranks, with all that is called in it
 * @property {number} cpu the same of computing
 * @property {FlameNode[]} children the widest one first
 * @property {FlameNode | null} parent
 * @property {number} depth 0 = all ranks
 */
/** @typedef {"all" | "mpi" | "cpu"} FlameTime */
/** @typedef {{node: FlameNode, x: number, width: number, isAround: boolean}} FlameBox */
/** @typedef {{depth: number, name: number, mpi_s: number, cpu_s: number}} FlameRow */
/** @typedef {"all" | "code" | "call" | "wait" | "contend" | "blocked" | "unknown"} FlameKind */

/** A narrower box is not drawn. In pixels. */
const narrowestBox = 1;

/** @param {FlameRow[]} rows @param {string[]} names @returns {FlameNode} */
export function flameTree(rows, names) {
  /** @type {FlameNode} */
  const root = { name: "all ranks", mpi: 0, cpu: 0, children: [], parent: null, depth: 0 };
  const path = [root];
  for (const { depth, name, mpi_s, cpu_s } of rows) {
    const parent = path[depth] ?? root;
    const node = {
      name: names[name] ?? "",
      mpi: mpi_s,
      cpu: cpu_s,
      children: [],
      parent,
      depth: depth + 1,
    };
    parent.children.push(node);
    path.length = depth + 1;
    path.push(node);
  }
  for (const { mpi, cpu } of root.children) {
    root.mpi += mpi;
    root.cpu += cpu;
  }
  return root;
}

/** @param {FlameNode} node @param {FlameTime} time */
export function flameSeconds({ mpi, cpu }, time) {
  return (time === "cpu" ? 0 : mpi) + (time === "mpi" ? 0 : cpu);
}

/** In the function itself. @param {FlameNode} node @param {FlameTime} time */
export function ownSeconds(node, time) {
  const inside = node.children.reduce((sum, child) => sum + flameSeconds(child, time), 0);
  return Math.max(flameSeconds(node, time) - inside, 0);
}

/** What a box is: it has that colour. @param {FlameNode} node @returns {FlameKind} */
export function flameKind({ name, mpi, parent }) {
  if (!parent) return "all";
  if (name === "[waiting for a CPU]") return "contend";
  if (name === "[blocked]") return "blocked";
  if (name.startsWith("[")) return "unknown";
  if (mpi > 0 && name === "waiting") return "wait";
  return mpi > 0 && name.startsWith("MPI_") ? "call" : "code";
}

/** "MPI_Wait" of "MPI_Wait (heat.c:52)" @param {string} name */
export function functionOf(name) {
  return name.replace(/ \(.*$/, "");
}

/**
 * The boxes of a picture: the one that is zoomed into and those around it are as wide as all, and
 * the others as their time says.
 * @param {FlameNode} focus @param {FlameTime} time @param {number} width pixels of all
 * @returns {FlameBox[]} from top to bottom, each row from left to right
 */
export function flameBoxes(focus, time, width) {
  /** @type {FlameBox[]} */
  const boxes = [];
  for (let around = focus.parent; around; around = around.parent)
    boxes.unshift({ node: around, x: 0, width, isAround: true });
  /** @type {FlameBox[]} */
  let row = [{ node: focus, x: 0, width, isAround: false }];
  while (row.length > 0) {
    boxes.push(...row);
    row = row.flatMap(({ node, x, width: room }) => {
      // Rounded figures of children may be more than that of what is around them.
      const inside = node.children.reduce((sum, child) => sum + flameSeconds(child, time), 0);
      const whole = Math.max(flameSeconds(node, time), inside);
      let left = x;
      return node.children.flatMap((child) => {
        const own = whole > 0 ? (room * flameSeconds(child, time)) / whole : 0;
        const box = { node: child, x: left, width: own, isAround: false };
        left += own;
        return own >= narrowestBox ? [box] : [];
      });
    });
  }
  return boxes;
}

/**
 * Boxes whose name has all of some words, and the share of all time that is in them. What is in a
 * box that is found counts once.
 * @param {FlameNode} root @param {string} text @param {FlameTime} time
 */
export function flameSearch(root, text, time) {
  const words = text.toLowerCase().match(/\S+/g) ?? [];
  /** @type {Set<FlameNode>} */
  const found = new Set();
  let seconds = 0;
  /** @param {FlameNode} node @param {boolean} isInside */
  const look = (node, isInside) => {
    const name = node.name.toLowerCase();
    const isFound = node !== root && words.length > 0 && words.every((word) => name.includes(word));
    if (isFound && flameSeconds(node, time) > 0) {
      found.add(node);
      if (!isInside) seconds += flameSeconds(node, time);
    }
    for (const child of node.children) look(child, isInside || isFound);
  };
  look(root, false);
  const all = flameSeconds(root, time);
  return { found, share: all > 0 ? seconds / all : 0 };
}

/**
 * A name that has too little room loses its middle: begin and end tell functions apart.
 * @param {string} name @param {number} most characters; below 3 there is no name
 */
export function shortName(name, most) {
  if (name.length <= most) return name;
  if (most < 3) return "";
  const begin = Math.ceil((most - 1) / 2);
  return `${name.slice(0, begin)}…${name.slice(name.length - (most - 1 - begin))}`;
}

/** From the outermost function inwards. @param {FlameNode} node */
export function pathOf(node) {
  const names = [];
  for (let at = /** @type {FlameNode | null} */ (node); at?.parent; at = at.parent)
    names.unshift(at.name);
  return names;
}

/** All nodes that have time, in the order of the tree. @param {FlameNode} root
 * @param {FlameTime} time @returns {FlameNode[]} */
export function flameNodes(root, time) {
  return root.children.flatMap((child) =>
    flameSeconds(child, time) > 0 ? [child, ...flameNodes(child, time)] : [],
  );
}
