/** Strings that are difficult in JSON, in UTF-16 and when split across chunks. */
export const awkward = [
  "a",
  " token",
  '"',
  "\\",
  '\\"',
  "\n\n",
  "\u2028",
  "é😀",
  '"},"finish_reason":null}]}',
  "data: x",
  "\\u0041",
  "",
  "content",
  "~delta~",
  "organization/model",
  "a long text ".repeat(30),
  "\\".repeat(300),
];

/** A random element. */
export function pick<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Numbers that are written in different ways in JSON. */
export const numbers = [0, 1, -1, 12, 1.5, 1e21, 123_456_789_012, -0.25, 1e-7];

/** A random value nested at most this deeply. */
export function randomValue(random: () => number, depth: number): unknown {
  const kind = random();
  if (depth === 0 || kind < 0.5) return pick(random, [...awkward, ...numbers, null, true, false]);
  const values = Array.from({ length: Math.floor(random() * 4) }, () => randomValue(random, depth - 1));
  return kind < 0.75 ? values : Object.fromEntries(values.map((value) => [pick(random, awkward), value]));
}

/** The text with one unit removed, inserted or replaced. */
export function damage(random: () => number, text: string): string {
  const at = Math.floor(random() * text.length);
  const unit = pick(random, [
    "",
    '"',
    "\\",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "0",
    "1",
    "-",
    ".",
    "e",
    "u",
    "\t",
    " ",
    "n",
    "\u0001",
  ]);
  return text.slice(0, at) + unit + text.slice(at + (random() < 0.5 ? 1 : 0));
}
