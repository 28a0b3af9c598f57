// What do ranks do with their GPUs? The places that call the driver, and where the buffers of MPI
// calls are; with --gpu kernels what the GPUs run, and calls of NCCL. Nothing without a GPU.
import { element } from "../dom.js";
import { bytesText, countText, secondsText } from "../format.js";
import { factList, section, tableWithTools } from "../panel.js";
import { numberColumn, textColumn } from "../tables/table_columns.js";
import { matrixPicture } from "./section_partners.js";

/** @typedef {import("../charts/rank_axis.js").RankAxis} RankAxis */
/** @typedef {import("../report_data.js").ReportData} ReportData */
/** @typedef {import("../report_data.js").GpuSiteRow} GpuSiteRow */
/** @typedef {import("../report_data.js").GpuBufferRow} GpuBufferRow */
/** @typedef {import("../report_data.js").GpuWorkRow} GpuWorkRow */
/** @typedef {import("../report_data.js").NcclCommRow} NcclCommRow */
/** @typedef {import("../report_data.js").NcclCallRow} NcclCallRow */

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<GpuSiteRow>} */
export function gpuSitesTable(data) {
  return {
    caption: "Places that call the driver",
    rows: data.lists.gpu_sites,
    shown: 10,
    sortBy: "Time per rank",
    columns: [
      textColumn("Place", (row) => row.place || "other places"),
      textColumn("For", "use"),
      textColumn("Kernel", "kernel", {
        hint: "launched before most of the waiting there",
        priority: 2,
      }),
      textColumn("Function", "function", { priority: 3 }),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      numberColumn("Most", "max_s", secondsText, { hint: "of the rank with most" }),
      numberColumn("at rank", "max_rank", countText, { priority: 2 }),
      numberColumn("Bytes", (row) => row.bytes || NaN, bytesText, { priority: 2 }),
      numberColumn("Not pinned", (row) => row.pageable_bytes || NaN, bytesText, {
        hint: "copied from or to pageable memory of the host",
        priority: 3,
      }),
    ],
    filterText: (row) => `${row.place} ${row.function} ${row.kernel}`,
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<GpuBufferRow>} */
export function gpuBuffersTable(data) {
  return {
    caption: "Buffers of MPI calls",
    rows: data.lists.gpu_buffers,
    shown: 8,
    sortBy: "Bytes",
    columns: [
      textColumn("Place", (row) => row.place || "other places"),
      textColumn("Call", "function"),
      textColumn("Memory", "memory"),
      textColumn("Use", (row) => (row.received ? "gets" : "gives"), { priority: 2 }),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Bytes", "bytes", bytesText),
      numberColumn("Staged", (row) => row.staged_bytes || NaN, bytesText, {
        hint: "copied between the GPU and this buffer, before sending or after receiving",
        priority: 2,
      }),
      numberColumn("Copies take", (row) => data.perRank(row.staged_s || NaN), secondsText, {
        hint: "these copies, per rank",
        priority: 2,
      }),
    ],
    filterText: (row) => `${row.place} ${row.function} ${row.memory}`,
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<GpuWorkRow>} */
export function gpuWorkTable(data) {
  return {
    caption: "What the GPUs run",
    rows: data.lists.gpu_work,
    shown: 10,
    sortBy: "Time per rank",
    columns: [
      textColumn("Kernel", (row) => row.kernel || row.use),
      textColumn("Kind", "use", { priority: 2 }),
      numberColumn("Count", "count", countText, { priority: 2 }),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      numberColumn("Mean", (row) => row.time_s / (row.count || NaN), secondsText),
      numberColumn("Most", "max_s", secondsText, { priority: 2 }),
      numberColumn("at rank", "max_rank", countText, { priority: 2 }),
      numberColumn("Bytes", (row) => row.bytes || NaN, bytesText, { priority: 2 }),
      numberColumn("Not pinned", (row) => row.pageable_bytes || NaN, bytesText, { priority: 3 }),
    ],
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<NcclCommRow>} */
export function ncclCommsTable(data) {
  return {
    caption: "Communicators of NCCL",
    rows: data.lists.nccl_communicators,
    shown: 6,
    sortBy: "Time per rank",
    columns: [
      textColumn("Communicator", (row) => row.id || "all others"),
      numberColumn("Ranks", "ranks", countText),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Bytes", "bytes", bytesText, { priority: 2 }),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      numberColumn("Waited, all ranks", (row) => row.waited_s ?? NaN, secondsText),
      numberColumn("most for", (row) => row.last_rank ?? NaN, countText),
    ],
  };
}

/** @param {ReportData} data @returns {import("../tables/table.js").TableSpec<NcclCallRow>} */
export function ncclCallsTable(data) {
  return {
    caption: "Calls of NCCL",
    rows: data.lists.nccl_calls,
    shown: 8,
    sortBy: "Time per rank",
    columns: [
      textColumn("Function", (row) => row.function || "all others"),
      textColumn("At", (row) => row.place || "not known", { priority: 2 }),
      textColumn("Communicator", "communicator", { priority: 2 }),
      numberColumn("Bytes each", (row) => row.call_bytes || NaN, bytesText),
      numberColumn("Calls", "calls", countText, { priority: 2 }),
      numberColumn("Time per rank", (row) => data.perRank(row.time_s), secondsText),
      numberColumn("On the GPU", (row) => data.perRank(row.device_s ?? NaN), secondsText, {
        priority: 2,
      }),
      numberColumn("Waiting", (row) => data.perRank(row.waited_s ?? NaN), secondsText, {
        hint: "for the last rank; an estimate",
        priority: 2,
      }),
    ],
  };
}

/** Memory of the host that is not pinned is copied more slowly. @param {ReportData} data */
function pageableWords(data) {
  const copies = data.lists.gpu_sites.filter((row) => row.use === "copy");
  const pageable = copies.reduce((sum, row) => sum + row.pageable_bytes, 0);
  const all = copies.reduce((sum, row) => sum + row.bytes, 0);
  return pageable > 0 && `${bytesText(pageable)} of ${bytesText(all)}`;
}

/** @param {ReportData} data */
function gpuFacts(data) {
  const { gpu_wait_s, gpu_copy_s, gpu_launch_s } = data.raw.totals;
  const { mpi_gpu } = data.run;
  const answers = { yes: "says that it can", no: "says that it cannot" };
  const answer = answers[/** @type {keyof answers} */ (mpi_gpu)];
  return factList({
    "Average rank":
      `${secondsText(data.perRank(gpu_wait_s ?? 0))} waiting for its GPU, ` +
      `${secondsText(data.perRank(gpu_copy_s ?? 0))} copying, ` +
      `${secondsText(data.perRank(gpu_launch_s ?? 0))} in other driver calls`,
    "Copies of pageable memory": pageableWords(data),
    "Sending from the GPU": answer && `this MPI ${answer}`,
  });
}

/** @param {RankAxis} axis */
export function gpuSection(axis) {
  const { data } = axis;
  const { gpu_sites, gpu_work, nccl_calls } = data.lists;
  const matrix = data.raw.nccl_matrix;
  if (gpu_sites.length === 0 && nccl_calls.length === 0) return document.createDocumentFragment();
  return section(
    { id: "gpu", title: "GPU", question: "What do ranks do with their GPUs?", long: true },
    gpuFacts(data),
    ...(gpu_work.length > 0 ? [tableWithTools("gpu_work", gpuWorkTable(data))] : []),
    ...(nccl_calls.length > 0
      ? [
          tableWithTools("nccl_communicators", ncclCommsTable(data)),
          tableWithTools("nccl_calls", ncclCallsTable(data)),
        ]
      : []),
    matrix &&
      element(
        "div.below",
        {},
        element("h3", {}, "Who sends to whom through NCCL?"),
        matrixPicture(axis, matrix, true, "nccl_partners").node,
      ),
    tableWithTools("gpu_sites", gpuSitesTable(data)),
    data.lists.gpu_buffers.length > 0
      ? tableWithTools("gpu_buffers", gpuBuffersTable(data))
      : element("p.hint", {}, "No buffer was passed to MPI after the first driver call."),
  ).node;
}
