// The report's table of contents: reads the data and makes the sections in their order.
import { byId } from "./dom.js";
import { startPage } from "./page_frame.js";
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

startPage({ fileName: `${data.run.program}-mprof`, exported: () => data.exported(), ranks: data.quality.ranks_expected });
