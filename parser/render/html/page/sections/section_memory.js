// How much memory does each rank use, and where did it run?
import { element } from "../dom.js";
import { bytesText } from "../format.js";
import { absentSection, dataTools, section, tableWithTools } from "../panel.js";
import { mean } from "../charts/rank_axis.js";
import { RankBars } from "../charts/rank_bars.js";
import { placementTable } from "../tables/rank_table.js";
import { figureLayer, figureTip } from "../charts/rank_tips.js";

/** @param {import("../charts/rank_axis.js").RankAxis} axis */
export function memorySection(axis) {
  const question = "How much memory does each rank use?";
  if (!axis.has("memory_bytes"))
    return absentSection(
      "memory",
      question,
      "Memory is recorded when a rank finishes; none of these did.",
    );
  const average = mean(axis.values("memory_bytes"));
  const bars = new RankBars(
    {
      axis,
      label: "Largest memory of each rank",
      height: 170,
      yTitle: "peak",
      format: bytesText,
      tipOf: (bar) => figureTip(axis, bar, "memory_bytes", "peak memory", bytesText),
    },
    {
      layers: [figureLayer(axis, "memory_bytes", "Peak memory", "--memory")],
      line: { value: average, label: `average ${bytesText(average)}` },
      envelope: axis.envelope("memory_bytes"),
    },
  );
  const hasPlacement = ["cpus_allowed", "migrations", "shared_memory_bytes", "major_faults"].some(
    (name) => axis.data.raw.ranks.columns[name] !== undefined,
  );
  return section(
    {
      id: "memory",
      question,
      hint:
        "Largest resident memory of each rank; " +
        `${bytesText(axis.data.totals.memory_bytes)} on all ranks together.`,
    },
    bars.node,
    hasPlacement
      ? element(
          "div.below",
          {},
          element("h3", {}, "Memory, placement and scheduling"),
          tableWithTools("memory", placementTable(axis)),
        )
      : dataTools("memory", () => placementTable(axis)),
  ).node;
}
