// The report's table of contents: reads the data and makes the sections in their order.
import { offerComparison } from "./beside/beside_section.js";
import { pinnedBar } from "./charts/pinned_bar.js";
import { RankAxis } from "./charts/rank_axis.js";
import { byId } from "./dom.js";
import { startPage } from "./page_frame.js";
import { readReport } from "./report_data.js";
import { balanceSection } from "./sections/section_balance.js";
import { bindingsSection } from "./sections/section_bindings.js";
import { callsSection, sizesSection } from "./sections/section_calls.js";
import { callsitesSection, regionsSection } from "./sections/section_callsites.js";
import { accountsSection, causeSection, lintsSection } from "./sections/section_cause.js";
import { computingSection } from "./sections/section_computing.js";
import { countersSection, memorySection, openmpSection } from "./sections/section_counters.js";
import { filesSection } from "./sections/section_files.js";
import { flameSection } from "./sections/section_flame.js";
import { gpuSection } from "./sections/section_gpu.js";
import { machineSection, nodesSection } from "./sections/section_nodes.js";
import { communicatorsSection, partnersSection } from "./sections/section_partners.js";
import { programsSection, qualitySection, runSection } from "./sections/section_run.js";
import { whenSection } from "./sections/section_when.js";
import { giveColours } from "./theme.js";

const data = readReport();
const axis = new RankAxis(data);
giveColours(data.lists.functions);

byId("sections").append(
  whenSection(axis),
  accountsSection(data),
  callsSection(data),
  programsSection(data),
  balanceSection(axis),
  causeSection(axis),
  computingSection(data),
  sizesSection(data),
  machineSection(data),
  partnersSection(axis),
  callsitesSection(data),
  flameSection(data),
  filesSection(data),
  openmpSection(data),
  gpuSection(axis),
  regionsSection(data),
  communicatorsSection(data),
  nodesSection(data),
  bindingsSection(data),
  countersSection(axis),
  memorySection(axis),
  lintsSection(data),
  qualitySection(data),
  runSection(data),
);
document.body.append(pinnedBar(axis));
offerComparison(data);

startPage({ fileName: `${data.run.program}-mprof`, ranks: data.quality.ranks_expected });
