/** A repeatable source of numbers from 0 up to, but not including, 1: the same seed gives the same sequence. */
export type Random = () => number;

/** Not for secrets: whoever knows the seed knows the sequence. */
export function createRandom(seed: string): Random {
  let state = hashText(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** A whole number from `from` to `to`, both included. */
export function randomInteger(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function randomItem<T>(random: Random, items: readonly [T, ...T[]]): T {
  return items[randomInteger(random, 0, items.length - 1)] ?? items[0];
}

/** Text of `length` characters out of `alphabet`. */
export function randomText(random: Random, length: number, alphabet: string): string {
  let text = "";
  while (text.length < length) text += alphabet[randomInteger(random, 0, alphabet.length - 1)];
  return text;
}

export const hexDigits = "0123456789abcdef";

/** FNV-1a over UTF-16 units: 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
