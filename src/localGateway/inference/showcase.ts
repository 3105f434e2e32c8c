import { pick, seededRandom } from "../kernel/seededRandom.ts";
import { splitTokens } from "./tokens.ts";

const head = `# Markdown showcase

This text comes from the **local gateway**, not from a language model. It shows what a response can contain.

## Lists

1. First of three
2. Second, with *emphasis*, **strong words**, ~~mistakes~~ and \`code\`
   - a nested point
   - another one
3. Third

- [x] streamed
- [ ] finished

## A table

| Server | GPU | State |
| :--- | :---: | ---: |
| trainer-01 | 8 × H100 | running |
| notebook | 1 × L40S | stopped |

> A quote with a [link](https://example.com/docs "Documentation") in it.

## Code

\`\`\`python
from dataclasses import dataclass

@dataclass
class Server:
    name: str
    gpus: int = 1

    def describe(self) -> str:
        return f"{self.name}: {self.gpus} GPUs"  # as shown in the tree
\`\`\`

\`\`\`typescript src/deltas.ts
export async function* deltas(events: AsyncIterable<Event>): AsyncGenerator<string> {
  for await (const event of events) if (event.type === "text") yield event.text;
}
\`\`\`

\`\`\`sh
nvidia-smi --query-gpu=name,memory.used --format=csv
\`\`\`

## Math

Attention is $\\operatorname{softmax}(QK^\\top / \\sqrt{d})V$; at \$2 an hour, $n$ GPUs cost $2n$ dollars.

$$
\\mathcal{L}(\\theta) = -\\frac{1}{N} \\sum_{i=1}^{N} \\log p_\\theta\\left(x_i \\mid x_{<i}\\right)
$$

## A diagram

\`\`\`mermaid
flowchart LR
  accTitle: How a delta travels
  socket[Socket] --> events(Events) --> session{Session}
  session -->|every frame| page[Page]
  session -->|every 250 ms| disk[(Database)]
\`\`\`

## Footnotes and images

An image from another host is loaded only when you ask for it[^images]:
![A diagram of a GPU](https://images.example.com/gpu.png)

[^images]: Loading it could reveal the response to that host.

---

This model returns the same text for any other message. Ask for "5000 tokens" to get a long response.
`;

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

/** The fixed page that shows every Markdown construct. */
export function showcaseText(): string {
  return head;
}

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
