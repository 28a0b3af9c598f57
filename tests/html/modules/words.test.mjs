// Words of sections and tables that no figure alone decides: sums over ranks, names of rows, which
// files, and the colour of I/O. These modules ask the browser for little; that little is made here.
import assert from "node:assert/strict";
import test from "node:test";

const variables = { "--io": "#08442f", "--strip-2": "#a9b2c6" };
globalThis.matchMedia = () => ({ matches: false, addEventListener() {} });
globalThis.document = { documentElement: { dataset: {} } };
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => variables[name] ?? "" });

const page = "../../../parser/render/html/page";
const { rankSecondsText } = await import(`${page}/format.js`);
const { functionColour, functionStyle, giveColours, isFileCall } = await import(
  `${page}/theme.js`
);
const { rowNames } = await import(`${page}/tables/table.js`);
const { noFiles } = await import(`${page}/sections/section_files.js`);
const { mpiParts } = await import(`${page}/tables/table_columns.js`);

const functions = [
  { function: "MPI_Allreduce", kind: 0, calls: 10, bytes: 80 },
  { function: "MPI_File_write_at_all", kind: 4, calls: 4, bytes: 3 * 2 ** 30 },
  { function: "MPI_File_open", kind: 4, calls: 1, bytes: 0 },
];
giveColours(functions);

test("seconds over all ranks are rank-hours from an hour on", () => {
  assert.equal(rankSecondsText(144258), "40.1 rank-hours");
  assert.equal(rankSecondsText(3600), "1.00 rank-hours");
  assert.equal(rankSecondsText(3599), "3599 s");
  assert.equal(rankSecondsText(null), "–");
});

test("a row is called by its first cell, and by more where that is not enough", () => {
  assert.deepEqual(
    rowNames([
      ["node00", "0", "rank 0"],
      ["node00", "1", "rank 1"],
      ["node01", "0", "rank 2"],
    ]),
    ["node00, 0", "node00, 1", "node01"],
  );
  assert.deepEqual(rowNames([["a"], ["a"], []]), ["a", "a", ""], "no more is known");
});

test("a run that writes with MPI opens files with MPI", () => {
  assert.equal(
    noFiles({ lists: { functions } }),
    "MPI_File_write_at_all and 1 other call moved 3.0 GiB, " +
      "but the profile does not say in which files.",
  );
  const [first] = functions;
  assert.equal(
    noFiles({ lists: { functions: [first] } }),
    "The program opens no file with MPI.",
  );
});

test("I/O has one colour: calls for files have it, and so have their bars", () => {
  assert.equal(functionColour("MPI_File_write_at_all"), "rgb(8,68,47)");
  assert.match(functionStyle("MPI_File_write_at_all"), /var\(--io\) 100%/);
  assert.match(functionStyle("MPI_File_open"), /var\(--io\) 70%/);
  assert.ok(isFileCall("MPI_File_open") && !isFileCall("MPI_Allreduce") && !isFileCall(null));
  assert.deepEqual(
    mpiParts(3, 1, "MPI_File_open").map(({ kind }) => kind),
    ["wait", "io"],
  );
  assert.equal(mpiParts(3, null, "MPI_File_open")[0].kind, "io");
  assert.equal(mpiParts(3, 1, "MPI_Allreduce")[1].kind, "transfer");
});
