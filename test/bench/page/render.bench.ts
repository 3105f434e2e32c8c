import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { ChatPageDriver } from "../../webview/support/chatPageDriver.ts";
import { alignedLength, createLongResponse, unitsPerToken } from "./longResponse.ts";
import { measure } from "./mainThread.ts";
import type { Cost, Schedule } from "./mainThread.ts";
import { ours, reactMarkdown, replay, streamdown, wholeText } from "./ways.ts";
import type { Way } from "./ways.ts";

const lengths: readonly number[] = [5_000, 50_000];
const frames = 30;
const unitsPerFrame = 8 * unitsPerToken;
const rounds = 2;
/** What parses the whole text at each frame takes long enough to be measured once, and some of it only in short texts. */
const slow: readonly Way[] = [wholeText, reactMarkdown, streamdown];
const waysAt = (tokens: number): readonly Way[] => [ours, replay, ...(tokens > 10_000 ? [wholeText] : slow)];

async function run(way: Way, text: string, schedule: Schedule): Promise<Cost> {
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    await driver.open();
    await way.prepare(driver, text, schedule.start);
    const lastPart =
      text
        .slice(0, schedule.start)
        .match(/Part \d+/g)
        ?.at(-1) ?? "";
    await driver.page.waitForFunction(isShown, lastPart);
    // Work that follows when a part is shown, such as highlighting.
    await driver.page.waitForTimeout(1_000);
    return await measure(driver, schedule);
  } finally {
    await driver.close();
  }
}

/** Runs in the page. */
function isShown(words: string): boolean {
  return document.querySelector(".column")?.textContent.includes(words) === true;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Main-thread time per frame when a response has reached a given length. */
async function measureLength(tokens: number): Promise<ReadonlyMap<Way, readonly Cost[]>> {
  const start = alignedLength(tokens);
  const text = createLongResponse(start + frames * unitsPerFrame);
  const costs = new Map<Way, Cost[]>(waysAt(tokens).map((way) => [way, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [way, list] of costs) {
      if (slow.includes(way) && round > 0) continue;
      list.push(await run(way, text, { frames, start, unitsPerFrame }));
    }
  }
  return costs;
}

function frameRows(
  tokens: number,
  costs: ReadonlyMap<Way, readonly Cost[]>,
  flatTo: number,
): readonly BenchmarkRow[] {
  const perFrame = (way: Way, pick: (cost: Cost) => number): number =>
    median((costs.get(way) ?? []).map(pick)) / frames;
  const limit = perFrame(replay, (cost) => cost.task);
  const script = perFrame(ours, (cost) => cost.script);
  const at = `at ${tokens.toLocaleString("en")} tokens`;
  const rows = waysAt(tokens).map((way): BenchmarkRow => {
    const value = perFrame(way, (cost) => cost.task);
    const row = {
      name: `${way.name}, main thread ${at}`,
      value,
      unit: "ms/frame",
      ratio: value / limit,
      ratioTo: replay.name,
    };
    return way === ours ? { ...row, target: "at most 1.2", failAbove: 2.5 } : row;
  });
  const flat =
    flatTo === 0
      ? {}
      : { ratio: script / flatTo, ratioTo: "script at 5,000 tokens", target: "at most 1.3", failAbove: 2.5 };
  return [...rows, { name: `${ours.name}, script ${at}`, value: script, unit: "ms/frame", ...flat }];
}

/** A whole response of 50,000 tokens that arrives at 5,000 tokens per second. */
async function measureResponse(): Promise<readonly BenchmarkRow[]> {
  const seconds = 10;
  const text = createLongResponse(50_000 * unitsPerToken);
  const schedule = { frames: seconds * 60, start: 0, unitsPerSecond: 5_000 * unitsPerToken };
  const limit = await run(replay, text, schedule);
  const own = await run(ours, text, schedule);
  const rows: BenchmarkRow[] = [];
  for (const [way, cost] of [
    [ours, own],
    [replay, limit],
  ] as const) {
    const name = `${way.name}, 50,000 tokens in 10 s`;
    rows.push(
      {
        name: `${name}: main thread`,
        value: cost.task,
        unit: "ms",
        ratio: cost.task / limit.task,
        ratioTo: replay.name,
        ...(way === ours ? { target: "at most 1", failAbove: 2.5 } : {}),
      },
      { name: `${name}: script`, value: cost.script, unit: "ms" },
      { name: `${name}: layout and style`, value: cost.layout, unit: "ms" },
      { name: `${name}: long tasks`, value: cost.longTasks, unit: "tasks", target: "0" },
      { name: `${name}: worst long task`, value: cost.worstTask, unit: "ms" },
      { name: `${name}: dropped frames`, value: cost.droppedFrames, unit: "frames" },
    );
  }
  return rows;
}

export const benchmark: Benchmark = {
  title: "Rendering a streaming answer",
  async run() {
    const rows: BenchmarkRow[] = [];
    let shortest = 0;
    for (const tokens of lengths) {
      const costs = await measureLength(tokens);
      rows.push(...frameRows(tokens, costs, shortest));
      if (shortest === 0) shortest = median((costs.get(ours) ?? []).map((cost) => cost.script)) / frames;
    }
    return [...rows, ...(await measureResponse())];
  },
};
