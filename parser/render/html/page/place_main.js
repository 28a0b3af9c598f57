// The table of contents of the page of mprof place: who talks to whom in both orders, how far the
// bytes travel, and how to start with the better order. The answer stands in the head, which needs
// no script.
import { byId } from "./dom.js";
import { startPage } from "./page_frame.js";
import { distancesSection } from "./place/distance_rows.js";
import { launchSection } from "./place/launch_card.js";
import { orderSection } from "./place/order_section.js";
import { readPlacing } from "./place/place_data.js";

const data = readPlacing();
byId("sections").append(
  orderSection(data),
  distancesSection(data),
  ...(data.isGood ? [] : [launchSection(data)]),
);
startPage({ fileName: "mprof-place", ranks: data.ofRanks ? data.ranks : 0 });
