/** UTF-16 code units that count as one token. */
export const unitsPerToken = 4;

const paragraphs: readonly string[] = [
  "The scheduler looks at **every queue** before it decides, because a *single* long job could otherwise hold back many short ones. See `schedule()` for the details and [the design](https://example.org/design) for the reasons.",
  "Memory is given back in blocks of two megabytes; what is left over stays with the worker until it ends, which is why a worker that has run for long looks larger than it is.",
  "In practice the difference is small: on eight GPUs we measured 3.1 ms against 2.9 ms, and most of that was spent waiting for the network rather than computing anything at all.",
];

const list = `1. First measure, then change one thing.
2. Keep the \`baseline\` beside the new figure.
3. Write down what you *expected* before you look.
   - it is easy to forget
   - and harder to invent later
`;

const code = `\`\`\`ts
export function schedule(jobs: readonly Job[], workers: number): readonly Plan[] {
  const queue = [...jobs].sort((a, b) => a.length - b.length);
  // The shortest job first: nobody waits long for little.
  return queue.map((job, index) => ({ job, worker: index % workers }));
}
\`\`\`
`;

const table = `| GPU | Memory | Price |
| --- | ---: | :---: |
| H100 | 80 GB | high |
| L40S | 48 GB | middle |
| T4 | 16 GB | low |
`;

/** One of each construct. All parts have the same length. */
function createPart(number: number): string {
  const heading = `## Part ${String(number).padStart(5, "0")}`;
  return `${heading}\n\n${paragraphs.join("\n\n")}\n\n${list}\n${code}\n${table}\n> A thought in between.\n\n`;
}

/**
 * The length of a response of roughly this many tokens that ends with a complete part, so that measurements start at
 * the same text.
 */
export function alignedLength(tokens: number): number {
  const partLength = createPart(1).length;
  return Math.round((tokens * unitsPerToken) / partLength) * partLength;
}

/** A response as models write it: headings, paragraphs, lists, code and tables. `length` is in UTF-16 code units. */
export function createLongResponse(length: number): string {
  const count = Math.ceil(length / createPart(1).length);
  return Array.from({ length: count }, (_, index) => createPart(index + 1))
    .join("")
    .slice(0, length);
}
