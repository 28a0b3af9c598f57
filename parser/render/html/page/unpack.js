// What the page holds packed: base64 of a deflate stream (RFC 1951), in an element of its own.
// parser/render/html/data/html_page.cc writes it. The browser's own DecompressionStream gives the
// bytes only later: a page that is printed as soon as it is loaded (chromium --print-to-pdf) would
// have no charts yet. And older browsers have none.

/**
 * How many words have each length, and their symbols in order.
 * @typedef {{counts: number[], symbols: number[]}} Code
 */

const mostBits = 15;
const endOfBlock = 256;
/** In this order a block says the lengths of the words that say the lengths of its words. */
const orderOfLengths = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/**
 * Ranges of numbers, each as its first one and the bits that are added; these grow by one every few
 * ranges.
 * @param {number} count @param {number} first @param {number} every
 */
function rangesOf(count, first, every) {
  return Array.from({ length: count }, (_, i) => {
    const range = { first, bits: Math.max(0, Math.floor(i / every) - 1) };
    first += 2 ** range.bits;
    return range;
  });
}
const copyLengths = [...rangesOf(28, 3, 4), { first: 258, bits: 0 }];
const copyDistances = rangesOf(30, 1, 2);

/** @param {number[]} lengths of each symbol's word; 0: it has none @returns {Code} */
function codeOf(lengths) {
  const used = lengths
    .map((length, symbol) => ({ length, symbol }))
    .filter(({ length }) => length > 0);
  used.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  const counts = new Array(mostBits + 1).fill(0);
  for (const { length } of used) counts[length]++;
  return { counts, symbols: used.map(({ symbol }) => symbol) };
}

/** @param {number} count @param {number} length */
const alike = (count, length) => new Array(count).fill(length);
const fixedCodes = [
  codeOf([...alike(144, 8), ...alike(112, 9), ...alike(24, 7), ...alike(8, 8)]),
  codeOf(alike(30, 5)),
];

class Inflate {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0; // in bits
    /** @type {number[]} */
    this.out = [];
  }

  /** The next so many bits, the lowest first. @param {number} count */
  bits(count) {
    let value = 0;
    for (let i = 0; i < count; i++, this.at++)
      value |= (((this.bytes[this.at >> 3] ?? 0) >> (this.at & 7)) & 1) << i;
    if (this.at > 8 * this.bytes.length) throw new Error("the packed text ends too early");
    return value;
  }

  /** The symbol of the next word. @param {Code | undefined} code */
  symbol(code) {
    let word = 0,
      first = 0,
      before = 0;
    for (let length = 1; code && length <= mostBits; length++) {
      word |= this.bits(1);
      const count = code.counts[length] ?? 0;
      if (word - first < count) return code.symbols[before + word - first] ?? 0;
      before += count;
      first = (first + count) << 1;
      word <<= 1;
    }
    throw new Error("the packed text has an unknown word");
  }

  /** @param {{first: number, bits: number} | undefined} range */
  numberIn(range) {
    if (!range) throw new Error("the packed text has an unknown range");
    return range.first + this.bits(range.bits);
  }

  /** @param {number} distance how far back @param {number} length */
  copy(distance, length) {
    const from = this.out.length - distance;
    for (let i = 0; i < length; i++) this.out.push(this.out[from + i] ?? 0);
  }

  /** The codes that a block brings along. */
  ownCodes() {
    const [values, distances, said] = [this.bits(5) + 257, this.bits(5) + 1, this.bits(4) + 4];
    const ofLengths = alike(orderOfLengths.length, 0);
    for (const place of orderOfLengths.slice(0, said)) ofLengths[place] = this.bits(3);
    const code = codeOf(ofLengths);
    /** @type {number[]} */
    const lengths = [];
    while (lengths.length < values + distances) {
      const symbol = this.symbol(code);
      if (symbol < 16) lengths.push(symbol);
      else if (symbol === 16) lengths.push(...alike(3 + this.bits(2), lengths.at(-1) ?? 0));
      else lengths.push(...alike(symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7), 0));
    }
    return [codeOf(lengths.slice(0, values)), codeOf(lengths.slice(values))];
  }

  storedBlock() {
    this.at = (this.at + 7) & ~7;
    const length = this.bits(16);
    this.bits(16); // the same, inverted
    for (let i = 0; i < length; i++) this.out.push(this.bits(8));
  }

  /** @param {Code[]} codes of bytes and lengths, and of distances */
  codedBlock([values, distances]) {
    for (let symbol = this.symbol(values); symbol !== endOfBlock; symbol = this.symbol(values)) {
      if (symbol < endOfBlock) {
        this.out.push(symbol);
        continue;
      }
      const length = this.numberIn(copyLengths[symbol - endOfBlock - 1]);
      this.copy(this.numberIn(copyDistances[this.symbol(distances)]), length);
    }
  }

  all() {
    for (let isLast = 0; !isLast;) {
      isLast = this.bits(1);
      const kind = this.bits(2);
      if (kind === 0) this.storedBlock();
      else this.codedBlock(kind === 1 ? fixedCodes : this.ownCodes());
    }
    return Uint8Array.from(this.out);
  }
}

/** @param {Uint8Array} bytes */
export function inflate(bytes) {
  return new Inflate(bytes).all();
}

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
