// The script of the page is what the modules say: it has the same tokens, only closer together, and
// without the signs that mean nothing. The modules keep to the rules that make the page safe.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import test from "node:test";

const ts = createRequire(pathToFileURL(`${process.env.MODULES}/node_modules/`))("typescript");
const folder = fileURLToPath(new URL("../../../parser/render/html/page/", import.meta.url));
const files = readdirSync(folder, { recursive: true }).filter((name) =>
  statSync(join(folder, name)).isFile(),
);
const modules = files.filter((name) => name.endsWith(".js"));

/** How often each token is there; import and export left out, and the last comma of a list. */
function tokens(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, false, ts.ScriptKind.JS);
  assert.deepEqual(source.parseDiagnostics, [], name);
  const counts = new Map();
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || node.kind === ts.SyntaxKind.ExportKeyword) return;
    assert.notEqual(node.kind, ts.SyntaxKind.EmptyStatement, `${name} has an empty statement`);
    const children = node
      .getChildren(source)
      .filter(
        (child) =>
          child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode,
      );
    if (children.length === 0 && node.getText(source) !== "") {
      counts.set(node.getText(source), (counts.get(node.getText(source)) ?? 0) + 1);
    }
    if (children.at(-1)?.kind === ts.SyntaxKind.CommaToken) children.pop();
    const isHole = children.at(-1)?.kind === ts.SyntaxKind.OmittedExpression;
    assert.ok(!isHole, `${name} has a list with a hole at its end`);
    children.forEach(visit);
  };
  visit(source);
  counts.delete(";"); // may be left out before the end of a block
  return counts;
}

const entries = {
  report: "main.js",
  diff: "diff_main.js",
  scale: "scale_main.js",
  place: "place_main.js",
  archive: "archive_main.js",
  results: "results_main.js",
};

/** The modules that one imports, and those that these import, itself included. */
function reachedFrom(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, other] of readFileSync(join(folder, name), "utf8").matchAll(
    /^import \{[^}]*\} from "(\.[^"]+)";$/gm,
  )) {
    reachedFrom(join(dirname(name), other), seen);
  }
  return seen;
}

function joined(page) {
  const work = mkdtempSync(join(tmpdir(), "mprof-html-"));
  try {
    execFileSync("python3", ["-B", join(folder, "join_page.py"), join(work, "page.cc")]);
    const source = readFileSync(join(work, "page.cc"), "utf8");
    const texts = (name) =>
      source.slice(source.indexOf(name)).split(/R"mprof_page\(|\)mprof_page"/);
    return texts(`${page}_page_parts`)[3];
  } finally {
    rmSync(work, { recursive: true });
  }
}

for (const [page, entry] of Object.entries(entries)) {
  test(`the joined script of ${entry} has the tokens of its modules`, () => {
    const expected = new Map();
    for (const name of reachedFrom(entry)) {
      for (const [token, count] of tokens(name, readFileSync(join(folder, name), "utf8")))
        expected.set(token, (expected.get(token) ?? 0) + count);
    }
    const found = tokens("joined.js", joined(page));
    const sorted = (map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(sorted(found), sorted(expected));
  });
}

test("every module is of some page", () => {
  const reached = new Set(Object.values(entries).flatMap((entry) => [...reachedFrom(entry)]));
  assert.deepEqual(
    modules.filter((name) => !reached.has(name)),
    [],
  );
});

test("nothing makes markup of text or asks the network", () => {
  const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/;
  const network = /\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon/;
  const address = /https?:(?!\/\/www\.w3\.org\/2000\/svg)/;
  const forbidden = new RegExp(`${markup.source}|${network.source}|${address.source}`);
  for (const name of files) {
    if (name.endsWith(".py")) continue;
    const text = readFileSync(join(folder, name), "utf8").replaceAll(
      "http://www.w3.org/2000/svg",
      "",
    );
    assert.equal(forbidden.exec(text)?.[0], undefined, name);
  }
});

test("modules have at most 600 lines and say what they are for", () => {
  for (const name of modules) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    assert.ok(lines.length <= 600, `${name} has ${lines.length} lines`);
    assert.match(lines[0], /^\/\/ \S/, name);
  }
});
