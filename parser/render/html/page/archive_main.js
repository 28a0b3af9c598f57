// The table of contents of the page of mprof archive: which applications changed and waste most,
// and the history of the one that is chosen. The answer stands in the head, which needs no script.
import { HistorySection } from "./archive/history_section.js";
import { readFleet } from "./archive/fleet_data.js";
import { seriesSection } from "./archive/series_rows.js";
import { byId } from "./dom.js";
import { startPage } from "./page_frame.js";

const fleet = readFleet();
/** @type {(series: import("./archive/fleet_data.js").FleetSeries) => void} */
let choose = () => {};
const applications = seriesSection(fleet, (series) => choose(series));
const history = new HistorySection(fleet);
choose = (series) => history.choose(series);
byId("sections").append(applications, history.node);
startPage({ fileName: "mprof-archive", ranks: 0 });
