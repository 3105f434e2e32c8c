import assert from "node:assert/strict";
import { createLongResponse } from "../../bench/page/longResponse.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

/** What the browser does for the same amount of new text. Wall-clock times would depend on other programs. */
interface Work {
  /** Elements whose style is calculated. */
  readonly styled: number;
  /** Boxes that are laid out. */
  readonly laidOut: number;
  /** Boxes that a single layout visits at most. */
  readonly visited: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly args?: {
    readonly elementCount?: number;
    readonly beginData?: { readonly dirtyObjects?: number; readonly totalObjects?: number };
  };
}

/** In UTF-16 code units: of the response, of the text during which the work is counted, and of a delta. */
const [length, counted, delta] = [400_000, 24_000, 400];
/** Marks the page's process in the trace. */
const mark = "counted-work";

declare global {
  var attributesSet: string[];
}

describe("A response that grows", function () {
  this.timeout(240_000);
  const driver = testChatPage({ width: 900, height: 900 });

  /** Sends the text from one offset to another, one delta per frame, and waits until all of it is shown. */
  async function grow(text: string, from: number, to: number): Promise<void> {
    await driver.page.evaluate(
      async ({ whole, start, end, step }) => {
        for (let offset = start; offset < end; offset += step) {
          const piece = whole.slice(offset, Math.min(end, offset + step));
          const data = { type: "delta", messageId: "a", textOffset: offset, text: piece };
          window.dispatchEvent(
            new MessageEvent("message", { data: { ...data, reasoningOffset: 0, reasoning: "" } }),
          );
          await new Promise(requestAnimationFrame);
        }
      },
      { whole: text, start: from, end: to, step: to - from > counted ? 8_000 : delta },
    );
    const lastPart =
      text
        .slice(0, to)
        .match(/Part \d+/g)
        ?.at(-1) ?? "";
    await driver.page.waitForFunction(
      (words) => document.querySelector(".chapter:last-child")?.textContent.includes(words),
      lastPart,
      { timeout: 200_000, polling: 200 },
    );
    await driver.frames();
  }

  async function count(action: () => Promise<void>): Promise<Work> {
    const session = await driver.page.context().newCDPSession(driver.page);
    const events: TraceEvent[] = [];
    session.on("Tracing.dataCollected", ({ value }: { readonly value: readonly object[] }) => {
      for (const event of value as readonly TraceEvent[]) events.push(event);
    });
    const includedCategories = ["devtools.timeline", "blink.user_timing"];
    await session.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: { includedCategories },
    });
    await driver.page.evaluate((name) => void performance.mark(name), mark);
    await action();
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    await session.detach();
    const page = events.find(({ name }) => name === mark)?.pid;
    const args = (name: string): readonly NonNullable<TraceEvent["args"]>[] =>
      events.filter((event) => event.pid === page && event.name === name).map((event) => event.args ?? {});
    const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
    const layouts = args("Layout").map(({ beginData }) => beginData);
    return {
      styled: sum(args("UpdateLayoutTree").map(({ elementCount = 0 }) => elementCount)),
      laidOut: sum(layouts.map((data) => data?.dirtyObjects ?? 0)),
      visited: Math.max(...layouts.map((data) => data?.totalObjects ?? 0)),
    };
  }

  it("doesn't have more of its elements styled and laid out for a delta the longer it is", async () => {
    const text = createLongResponse(length + counted);
    const message = createMessage({ id: "a", status: "streaming" });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ isStreaming: true, messages: [message] }),
    });
    await grow(text, 0, counted);
    const early = await count(() => grow(text, counted, 2 * counted));
    await grow(text, 2 * counted, length);
    const late = await count(() => grow(text, length, length + counted));
    const report = JSON.stringify({ early, late });
    assert.ok(early.styled > 100 && early.laidOut > 100 && early.visited > 0, report);
    // Anything that grows with the text would be 8 times as much.
    assert.ok(late.styled < 3 * early.styled, report);
    assert.ok(late.laidOut < 3 * early.laidOut, report);
    assert.ok(late.visited < 3 * early.visited + 3_000, report);
  });

  it("sets no attribute around its text for a delta, which would style those elements again in each frame", async () => {
    const text = createLongResponse(30_000);
    const message = createMessage({ id: "a", status: "streaming" });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ conversationId: "other", isStreaming: true, messages: [message] }),
    });
    await grow(text, 0, counted);
    await driver.page.evaluate(() => {
      globalThis.attributesSet = [];
      new MutationObserver((records) => {
        for (const { target, attributeName } of records)
          if (target instanceof Element && target.closest(".markdown") === null)
            attributesSet.push(`${attributeName} of ${target.className}`);
      }).observe(document.body, { attributes: true, subtree: true });
    });
    await grow(text, counted, 30_000);
    assert.deepEqual(await driver.page.evaluate(() => attributesSet), []);
  });
});
