import { ChatPageDriver } from "../../webview/support/chatPageDriver.ts";
import { startCpuTrace } from "./cpuTrace.ts";
import type { CpuTimes } from "./cpuTrace.ts";
import { ours } from "./ways.ts";
import type { Way } from "./ways.ts";

/** How text that arrives at a steady rate is shown. Times are in milliseconds. */
export interface Arrival {
  /** From the moment at which a marker was due until it was painted. */
  readonly p95Delay: number;
  readonly worstDelay: number;
  /** Markers that were never shown, in which case the other figures mean nothing. */
  readonly lost: number;
  /**
   * CPU time of the main thread, which other processes don't affect: tasks over 50 ms, the worst task, and the total.
   */
  readonly longTasks: number;
  readonly worstTask: number;
  readonly cpu: number;
  /** CPU time of the 95th percentile of frames, at the start, in the middle or at the end, whichever is highest. */
  readonly p95Frame: number;
  /** CPU time for the last tenth of the text, divided by that for the first. */
  readonly growth: number;
  /** Megabytes on the heap after collecting garbage, at the end. */
  readonly heap: number;
  /** Heap that the last tenth added, divided by what a tenth of all added on average. */
  readonly heapGrowth: number;
}

/** Marks a place in a text, so that the time until it is painted can be measured. */
export function marker(number: number): string {
  return `m${number}x`;
}

/** Lets the text arrive at this rate in a separate page, in deltas that are a few milliseconds apart. */
export async function measureArrival(
  text: string,
  unitsPerSecond: number,
  way: Way = ours,
): Promise<Arrival> {
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    await driver.open();
    await way.prepare(driver, text, 0);
    const session = await driver.page.context().newCDPSession(driver.page);
    const heap = async (): Promise<number> => {
      await session.send("HeapProfiler.collectGarbage");
      return (await session.send("Runtime.getHeapUsage")).usedSize / 1e6;
    };
    await driver.page.evaluate(startArrivals, { text, unitsPerSecond });
    const heaps = [await heap()];
    const costs: CpuTimes[] = [];
    for (const part of [0.1, 0.9, 1]) {
      // The trace ends before garbage is collected, which is a long task that isn't the page's own.
      const stopTrace = await startCpuTrace(session);
      await driver.page.evaluate((end) => globalThis.continueTo(end), part);
      costs.push(await stopTrace());
      heaps.push(await heap());
    }
    const seen = await driver.page.evaluate(() => globalThis.finishArrivals());
    const [first = NaN, , last = NaN] = costs.map(({ total }) => total);
    const [atStart = NaN, , atNineTenths = NaN, atEnd = NaN] = heaps;
    return {
      ...seen,
      longTasks: costs.reduce((sum, { longTasks }) => sum + longTasks, 0),
      worstTask: Math.max(...costs.map(({ worstTask }) => worstTask)),
      cpu: costs.reduce((sum, { total }) => sum + total, 0),
      p95Frame: Math.max(...costs.map(({ p95Frame }) => p95Frame)),
      growth: last / first,
      heap: atEnd,
      heapGrowth: ((atEnd - atNineTenths) * 10) / (atEnd - atStart),
    };
  } finally {
    await driver.close();
  }
}

type Seen = Pick<Arrival, "p95Delay" | "worstDelay" | "lost">;

declare global {
  /** Lets the text arrive up to this fraction, and waits until it is shown. */
  var continueTo: (part: number) => Promise<void>;
  var finishArrivals: () => Seen;
}

interface Arrivals {
  readonly text: string;
  readonly unitsPerSecond: number;
}

/** Runs in the page. */
function startArrivals({ text, unitsPerSecond }: Arrivals): void {
  const due = new Map<number, number>();
  const painted = new Map<number, number>();
  let fresh: number[] = [];
  let isRunning = false;
  // A marker may be split: text without a space continues in the next run wherever the previous one ends.
  const textBefore = (node: Node): string => {
    let before: Node | null = node;
    while (before !== null && before.previousSibling === null) before = before.parentNode;
    before = before?.previousSibling ?? null;
    while (before?.lastChild) before = before.lastChild;
    return before?.nodeValue?.slice(-8) ?? "";
  };
  new MutationObserver((records) => {
    const texts = records.flatMap(({ type, target, addedNodes }) =>
      type === "characterData"
        ? [textBefore(target) + (target.nodeValue ?? "")]
        : [...addedNodes].map((node) => textBefore(node) + (node.textContent ?? "")),
    );
    for (const [, number] of texts.join(" ").matchAll(/m(\d+)x/g)) {
      const shown = Number(number);
      if (!painted.has(shown) && !fresh.includes(shown)) fresh.push(shown);
    }
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
  const channel = new MessageChannel();
  // A message sent during a frame arrives when the frame has been laid out and painted.
  channel.port1.onmessage = () => {
    const now = performance.now();
    for (const number of fresh) painted.set(number, now);
    fresh = [];
  };
  const onFrame = (): void => {
    if (fresh.length > 0 || isRunning) channel.port2.postMessage(undefined);
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  let offset = 0;
  globalThis.continueTo = async (part) => {
    const goal = Math.floor(text.length * part);
    const from = offset;
    const begin = performance.now();
    for (const { 1: number, index, 0: words } of text.slice(from, goal).matchAll(/m(\d+)x/g))
      due.set(Number(number), begin + ((index + words.length) / unitsPerSecond) * 1000);
    isRunning = true;
    while (offset < goal) {
      await new Promise((resolve) => setTimeout(resolve, 8));
      offset = Math.min(goal, from + Math.ceil(((performance.now() - begin) * unitsPerSecond) / 1000));
      globalThis.showUpTo(offset);
    }
    for (let frame = 0; frame < 90; frame += 1) await new Promise(requestAnimationFrame);
    isRunning = false;
  };
  globalThis.finishArrivals = () => {
    const delays = [...due]
      .map(([number, time]) => (painted.get(number) ?? Infinity) - time)
      .sort((a, b) => a - b);
    const shown = delays.filter((delay) => delay < Infinity);
    return {
      p95Delay: shown[Math.floor(shown.length * 0.95)] ?? NaN,
      worstDelay: shown.at(-1) ?? NaN,
      lost: delays.length - shown.length,
    };
  };
}
