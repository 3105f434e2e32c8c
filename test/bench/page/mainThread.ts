import type { CDPSession } from "playwright-core";
import type { ChatPageDriver } from "../../webview/support/chatPageDriver.ts";

/** The cost of a run for the page's main thread. Times are in milliseconds. */
export interface Cost {
  /** CPU times. */
  readonly script: number;
  readonly layout: number;
  readonly task: number;
  /** These include the time of other processes. */
  readonly longTasks: number;
  readonly worstTask: number;
  readonly droppedFrames: number;
  readonly worstFrame: number;
}

export interface Schedule {
  readonly frames: number;
  readonly start: number;
  /** UTF-16 code units per frame. Not used if `unitsPerSecond` is set. */
  readonly unitsPerFrame?: number;
  readonly unitsPerSecond?: number;
}

/** Lets the text grow frame by frame and reads the browser's own counters before and after. */
export async function measure(driver: ChatPageDriver, schedule: Schedule): Promise<Cost> {
  const session = await driver.page.context().newCDPSession(driver.page);
  // CPU time, which other processes don't affect.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await readCounters(session);
  const seen = await driver.page.evaluate(growText, schedule);
  const after = await readCounters(session);
  await session.detach();
  const spent = (name: string): number => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1000;
  return {
    script: spent("ScriptDuration"),
    layout: spent("LayoutDuration") + spent("RecalcStyleDuration"),
    task: spent("TaskDuration"),
    ...seen,
  };
}

async function readCounters(session: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

/** Runs inside the page. */
async function growText(schedule: Schedule): Promise<Omit<Cost, "script" | "layout" | "task">> {
  const longTasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(entry.duration);
  });
  observer.observe({ type: "longtask" });
  const begin = performance.now();
  const intervals: number[] = [];
  let last = begin;
  const duration = schedule.frames * (1000 / 60);
  for (let frame = 1; ; frame += 1) {
    const now = await new Promise<number>(requestAnimationFrame);
    intervals.push(now - last);
    last = now;
    const rate = schedule.unitsPerSecond;
    const grown = rate === undefined ? frame * (schedule.unitsPerFrame ?? 0) : (rate * (now - begin)) / 1000;
    globalThis.showUpTo(schedule.start + Math.max(0, Math.floor(grown)));
    if (rate === undefined ? frame === schedule.frames : now - begin >= duration) break;
  }
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  observer.disconnect();
  return {
    longTasks: longTasks.length,
    worstTask: Math.max(0, ...longTasks),
    droppedFrames: intervals
      .slice(1)
      .reduce((sum, ms) => sum + Math.max(0, Math.round(ms / (1000 / 60)) - 1), 0),
    worstFrame: Math.max(...intervals.slice(1)),
  };
}
