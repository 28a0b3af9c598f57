// The one script that the page holds as it is: unpacks the page's script and runs it. Packed, the
// script leaves room for the JSON document. The content security policy names the hash of the
// script, so that no other text would run.
import { unpacked } from "./unpack.js";

/**
 * Browsers with trusted types refuse plain text. The policy lets one be made, of this name.
 * @param {string} text
 */
function trusted(text) {
  const types = /** @type {any} */ (globalThis).trustedTypes;
  return types ? types.createPolicy("mprof", { createScript: String }).createScript(text) : text;
}

document.body.append(
  Object.assign(document.createElement("script"), {
    type: "module",
    textContent: trusted(unpacked("script")),
  }),
);
