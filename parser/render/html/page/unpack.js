// What the page holds packed: base64 of a deflate stream, in an element of its own.
// parser/render/html/data/html_text.cc writes it.
import { inflate } from "./inflate.js";

/** @param {string} text */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The text that an element holds packed. @param {string} id */
export function unpacked(id) {
  return new TextDecoder().decode(
    inflate(fromBase64(document.getElementById(id)?.textContent ?? "")),
  );
}
