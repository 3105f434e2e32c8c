import { pick, seededRandom } from "../kernel/seededRandom.ts";
import { splitTokens } from "./tokens.ts";

const words = [
  "kernel",
  "tensor",
  "a queue of requests",
  "the scheduler",
  "throughput",
  "latency",
  "one more batch",
  "memory bandwidth",
  "`cudaMalloc`",
  "**the cache**",
  "attention",
  "precision",
] as const;
const verbs = ["waits for", "feeds", "measures", "shares", "outgrows", "explains", "depends on"] as const;

/** This many tokens of paragraphs, lists and code, always the same for the same seed. */
export function* longMarkdown(count: number, seed: number): Generator<string> {
  let left = count;
  for (const text of endlessMarkdown(seededRandom(seed))) {
    for (const token of splitTokens(text)) {
      if (left-- <= 0) return;
      yield token;
    }
  }
}

function* endlessMarkdown(random: () => number): Generator<string> {
  for (let section = 1; ; section++) {
    yield `\n## Section ${section}\n\n`;
    for (let paragraph = 0; paragraph < 3; paragraph++) yield `${paragraphText(random)}\n\n`;
    for (let item = 1; item <= 4; item++) yield `- ${sentence(random)}\n`;
    yield `\n\`\`\`python\nfor step in range(${section}):\n    loss = train(step)  # ${pick(random, verbs)}\n    print(step, loss)\n\`\`\`\n`;
  }
}

function paragraphText(random: () => number): string {
  const count = 3 + Math.floor(random() * 4);
  return Array.from({ length: count }, () => sentence(random)).join(" ");
}

function sentence(random: () => number): string {
  const text = `${pick(random, words)} ${pick(random, verbs)} ${pick(random, words)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
