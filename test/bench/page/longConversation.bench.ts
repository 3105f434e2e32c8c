import type { Message } from "../../../src/core/conversation/conversation.ts";
import { ChatPageDriver, createMessage, createSnapshot } from "../../webview/support/chatPageDriver.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { createLongResponse } from "./longResponse.ts";

const sizes = [10, 1_000, 5_000, 10_000];
const keys = 30;
const words = 50;

interface Costs {
  readonly open: number;
  readonly key: number;
  readonly response: number;
  readonly elements: number;
}

function createMessages(count: number): readonly Message[] {
  const text = createLongResponse(1_500);
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? createMessage({ id: `m${index}`, role: "user", text: `Question ${index}: why is that so?` })
      : createMessage({ id: `m${index}`, text: `Response ${index}.\n\n${text}` }),
  );
}

/** As sent by the host: the newest messages first, the others in portions. */
async function measure(count: number): Promise<Costs> {
  const messages = createMessages(count);
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    await driver.open();
    const newest = messages.slice(-60);
    const earlier = messages.slice(0, -60).map(({ id, role, text }) => ({ id, role, length: text.length }));
    const snapshot = { ...createSnapshot({ messages: newest }), earlier };
    const open = await driver.page.evaluate(paintSnapshot, JSON.stringify(snapshot));
    for (let end = messages.length - 60; end > 0; end -= 60)
      await driver.send({ type: "earlier", messages: messages.slice(Math.max(0, end - 60), end) });
    await driver.frames();
    await driver.page.getByRole("textbox", { name: "Message" }).focus();
    const key = await driver.page.evaluate(typeKeys, keys);
    await driver.send({ type: "messageAdded", message: createMessage({ id: "new", status: "streaming" }) });
    const response = await driver.page.evaluate(streamWords, words);
    const elements = await driver.page.evaluate(() => document.querySelectorAll("*").length);
    return { open, key, response, elements };
  } finally {
    await driver.close();
  }
}

/** Runs in the page: milliseconds from the snapshot until it is painted. */
async function paintSnapshot(json: string): Promise<number> {
  const start = performance.now();
  const snapshot: unknown = JSON.parse(json);
  window.dispatchEvent(new MessageEvent("message", { data: { type: "snapshot", snapshot } }));
  for (;;) {
    await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    const last = [...document.querySelectorAll("article")].at(-1)?.textContent ?? "";
    if (last.includes("Response")) return performance.now() - start;
  }
}

/** Runs in the page: the median of a keystroke's script, style and layout time in milliseconds. */
function typeKeys(count: number): number {
  const times = Array.from({ length: count }, () => {
    const start = performance.now();
    document.execCommand("insertText", false, "x");
    document.body.getBoundingClientRect();
    return performance.now() - start;
  });
  return times.toSorted((a, b) => a - b)[count >> 1] ?? NaN;
}

/** Runs in the page: milliseconds until a response that arrives word by word, one per frame, is painted. */
async function streamWords(count: number): Promise<number> {
  const start = performance.now();
  let offset = 0;
  for (let word = 0; word < count; word += 1) {
    const text = `word${word} `;
    const data = {
      type: "delta",
      messageId: "new",
      textOffset: offset,
      text,
      reasoningOffset: 0,
      reasoning: "",
    };
    window.dispatchEvent(new MessageEvent("message", { data }));
    offset += text.length;
    await new Promise(requestAnimationFrame);
  }
  while (!document.body.textContent.includes(`word${count - 1}`)) await new Promise(requestAnimationFrame);
  return performance.now() - start;
}

export const benchmark: Benchmark = {
  title: "Long conversations: opening, typing, a response of 50 words",
  async run() {
    await measure(10);
    const costs: (readonly [number, Costs])[] = [];
    for (const size of sizes) costs.push([size, await measure(size)]);
    const few = costs[0]?.[1];
    const row = (name: string, value: number, floor: number | undefined, unit: string): BenchmarkRow => ({
      name,
      value,
      unit,
      ...(floor === undefined
        ? {}
        : { ratio: value / floor, ratioTo: "10 messages", target: "at most 4", failAbove: 12 }),
    });
    return costs.flatMap(([size, { open, key, response, elements }]) => [
      row(`${size} messages: until the end is painted`, open, few?.open, "ms"),
      row(`${size} messages: a key`, key, few?.key, "ms"),
      row(`${size} messages: a response of ${words} words`, response, few?.response, "ms"),
      row(`${size} messages: elements`, elements, few?.elements, ""),
    ]);
  },
};
