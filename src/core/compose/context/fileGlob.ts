/** Letters of a query that are tried at every border of a folder; longer ones are looked for as they are. */
const longestSplit = 16;

/**
 * Glob of the files whose path may fit the query letter by letter, whatever their case. `/` stands for itself;
 * without one, the query may also be spread over a folder and what is below it.
 */
export function fileGlob(query: string): string {
  const parts = query.split(/[/\\]+/).filter((part) => part !== "");
  if (parts.length === 0) return "**/*";
  const [only = ""] = parts;
  if (parts.length > 1) return `**/${parts.map(scattered).join("/**/")}`;
  const letters = [...only];
  if (letters.length < 2 || letters.length > longestSplit) return `**/${scattered(only)}`;
  const splits = letters
    .slice(1)
    .map(
      (_, index) =>
        `${scattered(letters.slice(0, index + 1).join(""))}/**/${scattered(letters.slice(index + 1).join(""))}`,
    );
  return `**/{${[scattered(only), ...splits].join(",")}}`;
}

function scattered(part: string): string {
  return `*${[...part].map((letter) => `${anyCase(letter)}*`).join("")}`;
}

function anyCase(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  if (/[\p{L}\p{N}]/u.test(letter)) {
    return lower === upper || lower.length !== upper.length ? letter : `[${lower}${upper}]`;
  }
  // What means something in a glob stands for any character: the ranking behind it is exact.
  return /[\w.@+-]/.test(letter) ? letter : "?";
}
