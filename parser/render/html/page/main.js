// The report's table of contents: reads the data and makes the sections in their order.
import { byId } from "./dom.js";
import { startPage } from "./page_frame.js";
import { pinnedBar } from "./charts/pinned_bar.js";
import { giveColours } from "./charts/palette.js";
import { RankAxis } from "./charts/rank_axis.js";
import { readReport } from "./report_data.js";
import { accountsSection } from "./sections/section_accounts.js";
import { balanceSection } from "./sections/section_balance.js";
import { bindingsSection } from "./sections/section_bindings.js";
import { callsSection } from "./sections/section_calls.js";
import { callsitesSection } from "./sections/section_callsites.js";
import { causeSection } from "./sections/section_cause.js";
import { communicatorsSection } from "./sections/section_communicators.js";
import { computingSection } from "./sections/section_computing.js";
import { countersSection } from "./sections/section_counters.js";
import { filesSection } from "./sections/section_files.js";
import { flameSection } from "./sections/section_flame.js";
import { lintsSection } from "./sections/section_lints.js";
import { machineSection } from "./sections/section_machine.js";
import { memorySection } from "./sections/section_memory.js";
import { nodesSection } from "./sections/section_nodes.js";
import { openmpSection } from "./sections/section_openmp.js";
import { partnersSection } from "./sections/section_partners.js";
import { programsSection } from "./sections/section_programs.js";
import { qualitySection } from "./sections/section_quality.js";
import { regionsSection } from "./sections/section_regions.js";
import { runSection } from "./sections/section_run.js";
import { sizesSection } from "./sections/section_sizes.js";
import { whenSection } from "./sections/section_when.js";

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

startPage({ fileName: `${data.run.program}-mprof`, ranks: data.quality.ranks_expected });
