import { ChatPageDriver, createMessage, createSnapshot } from "../../webview/support/chatPageDriver.ts";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { Benchmark } from "../benchmark.ts";
import { createLongResponse } from "./longResponse.ts";

const messageCount = 1000;
const rounds = 5;

/** Questions and responses, 2 MB of them. */
function createMessages(): readonly Message[] {
  const answer = createLongResponse(3600);
  return Array.from({ length: messageCount }, (_, index) =>
    index % 2 === 0
      ? createMessage({ id: `m${index}`, role: "user", text: "Why is that so, and since when? ".repeat(11) })
      : createMessage({ id: `m${index}`, text: `Answer ${index}\n\n${answer}` }),
  );
}

/** Milliseconds from the snapshot until the end of the conversation is painted. */
async function open(messages: readonly Message[]): Promise<number> {
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    await driver.open();
    return await driver.page.evaluate(
      async ({ snapshotJson, lastWords }) => {
        const snapshot: unknown = JSON.parse(snapshotJson);
        const start = performance.now();
        window.dispatchEvent(new MessageEvent("message", { data: { type: "snapshot", snapshot } }));
        const scroller = document.querySelector(".scroller");
        for (;;) {
          await new Promise<number>(requestAnimationFrame);
          await new Promise<void>((resolve) => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => resolve();
            channel.port2.postMessage(undefined);
          });
          if (scroller === null) throw new Error("The page is not there.");
          const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 5;
          const last = document.querySelector("article:last-of-type")?.textContent ?? "";
          if (isAtEnd && last.includes(lastWords)) return performance.now() - start;
        }
      },
      { snapshotJson: JSON.stringify(createSnapshot({ messages })), lastWords: `Answer ${messageCount - 1}` },
    );
  } finally {
    await driver.close();
  }
}

export const benchmark: Benchmark = {
  title: "Opening a conversation of 1,000 messages (2 MB)",
  async run() {
    const messages = createMessages();
    const few = messages.slice(-10);
    const times: { all: number; few: number }[] = [];
    for (let round = 0; round < rounds; round += 1)
      times.push({ all: await open(messages), few: await open(few) });
    const median = (values: readonly number[]): number =>
      values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    const value = median(times.map(({ all }) => all));
    const floor = median(times.map((time) => time.few));
    const ratio = { ratio: value / floor, ratioTo: "10 messages" };
    return [
      { name: "until the end is painted", value, unit: "ms", ...ratio, target: "at most 1.5", failAbove: 4 },
      { name: "the same, 10 messages", value: floor, unit: "ms" },
    ];
  },
};
