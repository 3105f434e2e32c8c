import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ChatPageDriver, createMessage, createSnapshot } from "./support/chatPageDriver.ts";
import { busySnapshot, showcase } from "./support/samples.ts";
import { themes } from "./support/themes.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare global {
  var axe: {
    run(): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string }[];
      }[];
    }>;
  };
}

/** What axe finds, one line each. */
async function findViolations(driver: ChatPageDriver): Promise<readonly string[]> {
  await driver.page.evaluate(axe);
  return await driver.page.evaluate(async () => {
    const { violations } = await globalThis.axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

const rich = `A note[^1], $x^2$ and a wide formula:

$$ f(x) = ${"a_0 + ".repeat(60)} 1 $$

![A cat](https://pictures.example/cat.png) [https://bank.example](https://evil.example)

\`\`\`ts src/a.ts
const a = 1;
\`\`\`

\`\`\`mermaid
flowchart LR
  A --> B
\`\`\`

$\\frac{broken$

[^1]: The note.
`;

describe("Accessibility of the chat page", function () {
  this.timeout(60_000);
  let driver: ChatPageDriver;
  before(async () => {
    driver = await ChatPageDriver.start();
  });
  after(() => driver.close());

  const snapshots = {
    "everything that a message can show": busySnapshot,
    "a streaming answer": createSnapshot({
      isStreaming: true,
      retry: {
        attempt: 2,
        maxAttempts: 5,
        dueAt: Date.now() + 60_000,
        messageId: "2",
        error: {
          reason: "unavailable",
          message: "The server is overloaded.",
          statusCode: 503,
          request: "POST https://lab.test/v1/chat/completions",
        },
      },
      messages: [
        createMessage({ id: "1", text: showcase, status: "stopped" }),
        createMessage({ id: "2", status: "streaming" }),
      ],
    }),
    "math, notes, a picture, a diagram and their mistakes": createSnapshot({
      messages: [createMessage({ id: "1", text: rich })],
    }),
    "answers side by side": createSnapshot({
      isStreaming: true,
      messages: [
        createMessage({ id: "q", role: "user", text: "Which?" }),
        createMessage({ id: "1", model: "lab/a", text: showcase }),
        createMessage({ id: "2", model: "lab/b", status: "streaming" }),
        createMessage({
          id: "3",
          model: "lab/c",
          status: "failed",
          error: { reason: "unavailable", message: "Busy." },
        }),
      ],
      comparison: ["1", "2", "3"],
    }),
    "nothing but a set-up notice": createSnapshot({
      setup: { message: "There is no profile.", actions: [{ id: "addProfile", label: "Add Profile…" }] },
    }),
  };
  for (const theme of themes) {
    for (const [what, snapshot] of Object.entries(snapshots)) {
      it(`has no violation in the ${theme.name} theme with ${what}`, async () => {
        await driver.open(theme);
        await driver.send({ type: "snapshot", snapshot });
        await driver.frames();
        if (snapshot.messages.length > 0) {
          await driver.page.locator(".hljs-keyword").first().waitFor();
          if (what.startsWith("math")) await driver.page.locator(".diagram-image").waitFor();
        }
        await driver.page.evaluate(() => {
          for (const card of document.querySelectorAll("details")) card.open = true;
        });
        await driver.frames();
        assert.deepEqual(await findViolations(driver), []);
      });
    }
  }
});
