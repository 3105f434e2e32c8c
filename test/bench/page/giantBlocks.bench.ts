import { ChatPageDriver } from "../../webview/support/chatPageDriver.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { startCpuTrace } from "./cpuTrace.ts";
import { measure } from "./mainThread.ts";
import { ours } from "./ways.ts";

const length = 150_000;
const unitsPerSecond = 20_000;

const sentence = "The **scheduler** looks at `every()` queue, see [the design](https://example.org/design). ";
const heads: Readonly<Record<string, string>> = {
  table: "| GPU | Memory | Price |\n| --- | ---: | :---: |\n",
  "code block": "```ts\n",
  "list inside an item": "- All of them:\n",
  "table in a quote": "> | GPU | Memory | Price |\n> | --- | ---: | :---: |\n",
};
const parts: Readonly<Record<string, string>> = {
  paragraph: sentence,
  table: "| H100 and **more** | 80 GB `x` | high |\n",
  "code block": "export const value = compute(1, 2, 3); // a comment\n",
  "list inside an item": `  - ${sentence}\n`,
  "list in a quote": `> - ${sentence}\n`,
  "table in a quote": "> | H100 and **more** | 80 GB `x` | high |\n",
};

/** The block whose cost per frame the others are compared with. */
const comparedWith = "paragraph";

/** @param limit Milliseconds of CPU time per frame of the block that the others are compared with, once it is known. */
async function measureBlock(kind: string, limit?: number): Promise<readonly BenchmarkRow[]> {
  const part = parts[kind] ?? "";
  const text = ((heads[kind] ?? "") + part.repeat(Math.ceil(length / part.length))).slice(0, length);
  const driver = await ChatPageDriver.start({ width: 900, height: 900 });
  try {
    await driver.open();
    await ours.prepare(driver, text, 0);
    const frames = (length / unitsPerSecond) * 60;
    const stopTrace = await startCpuTrace(await driver.page.context().newCDPSession(driver.page));
    const cost = await measure(driver, { frames, start: 0, unitsPerSecond });
    const cpu = await stopTrace();
    const perFrame = cpu.total / frames;
    const ratio =
      limit === undefined
        ? {}
        : { ratio: perFrame / limit, ratioTo: comparedWith, target: "at most 1.5", failAbove: 2 };
    return [
      { name: `${kind}: main thread`, value: perFrame, unit: "ms CPU/frame", ...ratio },
      { name: `${kind}: worst task`, value: cpu.worstTask, unit: "ms CPU", target: "< 50", failAbove: 100 },
      { name: `${kind}: tasks over 50 ms`, value: cost.longTasks, unit: "tasks", target: "0" },
      { name: `${kind}: worst of them, other processes included`, value: cost.worstTask, unit: "ms" },
    ];
  } finally {
    await driver.close();
  }
}

export const benchmark: Benchmark = {
  title: "One block of 150 kB that comes at 20 kB/s",
  async run() {
    const rows = [...(await measureBlock(comparedWith))];
    const limit = rows[0]?.value;
    const others = Object.keys(parts).filter((kind) => kind !== comparedWith);
    // Two at a time, because a page mostly waits for the text.
    while (others.length > 0)
      rows.push(...(await Promise.all(others.splice(0, 2).map((kind) => measureBlock(kind, limit)))).flat());
    return rows;
  },
};
