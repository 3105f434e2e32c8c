import { withoutElement } from "../../conversation/withoutElement.ts";

/** In what a reader takes for words, where there are spaces; a model that goes on for longer has not understood. */
const mostWords = 12;
/** In UTF-16 units. */
const longest = 80;

/** The title in what the model wrote; undefined where it wrote something else. */
export function parseTitle(answer: string): string | undefined {
  const lines = withoutElement(answer, "<think>", "</think>")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [line, ...others] = lines;
  if (line === undefined || others.length > 0) return undefined;
  const title = line
    .replace(/^(?:#+\s*|title:\s*)+/iu, "")
    .replace(/^["'“”„«*_`]+|(?<!["'“”«»*_`])["'“”«»*_`]+$/gu, "")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/(?<=\S)[.。]$/u, "")
    .trim();
  if (title === "" || title.length > longest || title.split(" ").length > mostWords) return undefined;
  return title;
}
