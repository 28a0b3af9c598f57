// The page's table of contents: reads the data, makes the sections in their order, and says when it is
// ready (data-ready-ms of the root element, milliseconds since the page was asked for).
import { byId, element } from "./dom.js";
import { saveFile } from "./export.js";
import { startNavigation } from "./navigation.js";
import { pinnedBar } from "./pinned_bar.js";
import { giveColours } from "./palette.js";
import { RankAxis } from "./rank_axis.js";
import { readReport } from "./report_data.js";
import { balanceSection } from "./section_balance.js";
import { callsSection } from "./section_calls.js";
import { callsitesSection } from "./section_callsites.js";
import { causeSection } from "./section_cause.js";
import { communicatorsSection } from "./section_communicators.js";
import { countersSection } from "./section_counters.js";
import { memorySection } from "./section_memory.js";
import { nodesSection } from "./section_nodes.js";
import { partnersSection } from "./section_partners.js";
import { qualitySection } from "./section_quality.js";
import { regionsSection } from "./section_regions.js";
import { runSection } from "./section_run.js";
import { sizesSection } from "./section_sizes.js";
import { pinRank } from "./selection.js";
import { themeButton } from "./theme.js";

const data = readReport();
const axis = new RankAxis(data);
giveColours(data.lists.functions);

byId("sections").append(
  callsSection(data),
  balanceSection(axis),
  causeSection(axis),
  sizesSection(data),
  partnersSection(axis),
  callsitesSection(data),
  regionsSection(data),
  communicatorsSection(data),
  nodesSection(data),
  countersSection(axis),
  memorySection(axis),
  qualitySection(data),
  runSection(data));
document.body.append(pinnedBar(axis));

const text = /** @type {HTMLDetailsElement | null} */ (document.querySelector("#text details"));
if (text) text.open = false;
addEventListener("beforeprint", () => text && (text.open = true));

byId("tools").append(themeButton(),
  element("button", { onclick: () => print() }, "Print"),
  element("button", { "aria-label": "Save all data as JSON", onclick: () => saveFile(`${data.run.program}-mprof.json`, "application/json", JSON.stringify(data.exported(), null, 1)) }, "JSON"));
addEventListener("keydown", (event) => {
  if (event.key === "Escape") pinRank(null);
});
startNavigation(data.quality.ranks_expected);
document.documentElement.dataset.readyMs = performance.now().toFixed(1);
