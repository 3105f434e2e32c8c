import { setTimeout } from "node:timers/promises";
import type { CDPSession } from "playwright-core";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { ChatPageDriver, createMessage, createSnapshot } from "../../webview/support/chatPageDriver.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { startCpuTrace } from "./cpuTrace.ts";
import { createLongResponse } from "./longResponse.ts";

const turns = 100;
const unitsPerTurn = 4_000;
const unitsPerDelta = 200;
/** A response of half a million tokens. */
const longUnits = 2_000_000;
/** Faster than anyone types. */
const betweenKeysMs = 33;

export const benchmark: Benchmark = {
  title: "A page in long use: memory, scrolling, typing, finding and selecting everything",
  async run() {
    return [
      ...(await measureMemory()),
      ...(await measureScrolling()),
      ...(await measureTyping()),
      ...(await measureLongResponse()),
    ];
  },
};

/** The conversation after this many turns. */
function createTurns(): readonly Message[] {
  const text = createLongResponse(unitsPerTurn);
  return Array.from({ length: turns }, (_, index) => [
    createMessage({ id: `q${index}`, role: "user", text: `Question ${index}?` }),
    createMessage({ id: `a${index}`, text: `Answer ${index}.\n\n${text}` }),
  ]).flat();
}

/**
 * Memory that the second half of the streamed turns takes, compared with the same turns opened anew: any difference
 * would be a leak. During the first half, the browser compiles what streaming needs.
 */
async function measureMemory(): Promise<readonly BenchmarkRow[]> {
  const messages = createTurns();
  const firstHalf = messages.slice(0, turns);
  const streamed = await withPage(async (driver, session) => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    for (const message of firstHalf) await streamMessage(driver, message);
    const half = await usedMemory(driver, session);
    for (const message of messages.slice(turns)) await streamMessage(driver, message);
    return (await usedMemory(driver, session)) - half;
  });
  const open = (shown: readonly Message[]): Promise<number> =>
    withPage(async (driver, session) => {
      await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: shown }) });
      return usedMemory(driver, session);
    });
  const opened = (await open(messages)) - (await open(firstHalf));
  return [
    {
      name: `heap that the second half of ${turns} streamed turns adds`,
      value: streamed,
      unit: "MB",
      ratio: streamed / opened,
      ratioTo: "the same opened anew",
      target: "at most 1.2",
      failAbove: 2,
    },
  ];
}

async function streamMessage(driver: ChatPageDriver, message: Message): Promise<void> {
  if (message.role === "user") return driver.send({ type: "messageAdded", message });
  await driver.send(
    { type: "messageAdded", message: { ...message, text: "", status: "streaming" } },
    { type: "streaming", isStreaming: true },
  );
  for (let offset = 0; offset < message.text.length; offset += unitsPerDelta) {
    const text = message.text.slice(offset, offset + unitsPerDelta);
    const delta = { messageId: message.id, textOffset: offset, text, reasoningOffset: 0, reasoning: "" };
    await driver.send({ type: "delta", ...delta });
    if (offset % (unitsPerDelta * 5) === 0) await driver.frames();
  }
  await driver.send(
    {
      type: "messageChanged",
      messageId: message.id,
      change: { status: "complete", toolCalls: [] },
      length: message.text.length,
    },
    { type: "streaming", isStreaming: false },
  );
  await driver.frames();
}

/** Megabytes on the page's heap once the visible part is built and garbage has been collected. */
async function usedMemory(driver: ChatPageDriver, session: CDPSession): Promise<number> {
  await driver.page.waitForFunction(
    () =>
      document.querySelector("article:last-of-type .markdown > *") !== null &&
      document.querySelector('article[style*="min-height"]') === null,
  );
  await driver.frames();
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

async function measureScrolling(): Promise<readonly BenchmarkRow[]> {
  const messages = Array.from({ length: 5 }, (_, round) =>
    createTurns().map((message) => ({ ...message, id: `${message.id}-${round}` })),
  )
    .flat()
    .slice(0, 1_000);
  const intervals = await withPage(async (driver) => {
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.page.waitForFunction(
      () => document.querySelector('article[style*="min-height"]') === null,
      undefined,
      { timeout: 120_000 },
    );
    await driver.frames();
    return driver.page.evaluate(scrollUp);
  });
  return [
    {
      name: "scrolling through 1,000 messages: p95 between frames",
      value: percentile(intervals, 0.95),
      unit: "ms",
      target: "< 17.5",
    },
    {
      name: "scrolling through 1,000 messages: frames over 50 ms",
      value: intervals.filter((ms) => ms > 50).length,
      unit: "frames",
      target: "0",
      failAbove: 20,
    },
  ];
}

/** Runs in the page: 600 frames of fast scrolling up from the end. Returns the milliseconds between frames. */
async function scrollUp(): Promise<number[]> {
  const scroller = document.querySelector(".scroller");
  if (scroller === null) throw new Error("There is nothing to scroll.");
  const intervals: number[] = [];
  let last = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 600; frame += 1) {
    scroller.scrollTop -= 120;
    const now = await new Promise(requestAnimationFrame);
    intervals.push(now - last);
    last = now;
  }
  return intervals;
}

/** From a keystroke to the painted letter while a response arrives at 5,000 tokens/s. */
async function measureTyping(): Promise<readonly BenchmarkRow[]> {
  const delays = await withPage(async (driver) => {
    const answer = createMessage({ id: "a", status: "streaming" });
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [answer], isStreaming: true }),
    });
    await driver.page.evaluate(streamFast, createLongResponse(200_000));
    const box = driver.page.getByRole("textbox", { name: "Message" });
    await box.focus();
    // Not by the locator, which would look at every element of the page for each key.
    for (let key = 0; key < 100; key += 1) {
      await driver.page.keyboard.press("x");
      await setTimeout(betweenKeysMs);
    }
    return driver.page.evaluate(() => globalThis.typingDelays());
  });
  return [
    {
      name: "typing while an answer streams: p95 from key to paint",
      value: percentile(delays, 0.95),
      unit: "ms",
      target: "< 50",
    },
  ];
}

/** Finding, scrolling and selecting everything in a very long response. */
async function measureLongResponse(): Promise<readonly BenchmarkRow[]> {
  return withPage(async (driver, session) => {
    const { page } = driver;
    const message = createMessage({ id: "a", text: `${createLongResponse(longUnits)}\n\nThe very end.` });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [message] }) });
    await page.waitForFunction(
      () =>
        document.querySelector(".chapter:last-child > .section:last-child > :last-child")?.textContent ===
        "The very end.",
      undefined,
      { timeout: 180_000, polling: 500 },
    );
    const rows: BenchmarkRow[] = [];
    const step = async (name: string, action: () => Promise<unknown>): Promise<void> => {
      const stopTrace = await startCpuTrace(session);
      await action();
      await driver.frames();
      const { worstTask } = await stopTrace();
      const unit = "ms CPU, worst task";
      rows.push({ name: `500,000 tokens: ${name}`, value: worstTask, unit, target: "< 50", failAbove: 150 });
    };
    const scrollTo = (place: number): Promise<void> =>
      page.evaluate((top) => document.querySelector(".scroller")?.scrollTo(0, top), place);
    const isFound = (): Promise<unknown> =>
      page.waitForFunction(() => CSS.highlights.get("found-current")?.size === 1);
    await step("scrolling to the start", () => scrollTo(0));
    await step("scrolling to the end", () => scrollTo(1e9));
    await page.keyboard.press("Control+f");
    // Not by locators, which look at every element of the page.
    await page.waitForFunction(() => document.activeElement?.matches(".find-bar input"));
    await step("finding a word", async () => {
      await page.keyboard.insertText("schedule");
      await isFound();
    });
    await step("the next match", () => page.keyboard.press("Enter"));
    await page.keyboard.press("Escape");
    await page.locator(".transcript").focus();
    await step("selecting everything", () => page.keyboard.press("Control+a"));
    await step("copying it", () => page.keyboard.press("Control+c"));
    return rows;
  });
}

declare global {
  var typingDelays: () => number[];
}

/** Runs in the page: streams the text as deltas, frame by frame, and records how long each keystroke takes. */
function streamFast(text: string): void {
  const delays: number[] = [];
  globalThis.typingDelays = () => delays;
  document.addEventListener(
    "input",
    ({ timeStamp }) => {
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => void delays.push(performance.now() - timeStamp);
        channel.port2.postMessage(undefined);
      });
    },
    { capture: true },
  );
  let offset = 0;
  const perFrame = 333;
  const step = (): void => {
    const delta = { messageId: "a", textOffset: offset, text: text.slice(offset, offset + perFrame) };
    const data = { type: "delta", ...delta, reasoningOffset: 0, reasoning: "" };
    window.dispatchEvent(new MessageEvent("message", { data }));
    offset += perFrame;
    if (offset < text.length) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

async function withPage<Result>(
  use: (driver: ChatPageDriver, session: CDPSession) => Promise<Result>,
): Promise<Result> {
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    await driver.open();
    return await use(driver, await driver.page.context().newCDPSession(driver.page));
  } finally {
    await driver.close();
  }
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}
