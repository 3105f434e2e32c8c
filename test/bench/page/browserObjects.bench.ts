import type { Page } from "playwright-core";
import { isRecord, stringField } from "../../../src/core/kernel/json.ts";
import type { JsonRecord } from "../../../src/core/kernel/json.ts";
import { ChatPageDriver } from "../../webview/support/chatPageDriver.ts";
import type { Benchmark } from "../benchmark.ts";
import { createLongResponse, unitsPerToken } from "./longResponse.ts";
import { ours } from "./ways.ts";

const tokens = 50_000;
/** A dump contains the objects of one class under this name, its own name and its address. */
const classPrefix = "blink_objects/blink_gc/main/";

export const benchmark: Benchmark = {
  title: "Objects that the browser keeps for a long response: collecting garbage means visiting all of them",
  async run() {
    const driver = await ChatPageDriver.start({ width: 900, height: 900 });
    try {
      await driver.open();
      const empty = await countObjects(driver.page);
      const text = `${createLongResponse(tokens * unitsPerToken)}\n\nThe end.`;
      await ours.prepare(driver, text, text.length);
      await driver.page.getByText("The end.").waitFor({ timeout: 60_000 });
      await driver.page.waitForTimeout(1_000);
      const objects = (await countObjects(driver.page)) - empty;
      const elements = await driver.page.locator(".message.assistant *").count();
      return [
        {
          name: `objects for ${tokens.toLocaleString("en")} tokens`,
          value: objects,
          unit: "objects",
          ratio: objects / elements,
          ratioTo: "elements",
          target: "at most 22",
          failAbove: 25,
        },
      ];
    } finally {
      await driver.close();
    }
  },
};

/** The objects of the renderer that has most of them, after garbage has been collected. */
async function countObjects(page: Page): Promise<number> {
  const own = await page.context().newCDPSession(page);
  await own.send("HeapProfiler.collectGarbage");
  await own.send("HeapProfiler.collectGarbage");
  await own.detach();
  const session = await page.context().browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error("The page has no browser.");
  const events: unknown[] = [];
  session.on("Tracing.dataCollected", ({ value }) => void events.push(...value));
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      includedCategories: ["disabled-by-default-memory-infra"],
      excludedCategories: ["*"],
    },
  });
  await session.send("Tracing.requestMemoryDump", { levelOfDetail: "detailed" });
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  return Math.max(...events.map(countInDump));
}

/** The objects in an event of the trace, which is the dump of a process or something else. */
function countInDump(event: unknown): number {
  const classes = Object.entries(field(field(field(event, "args"), "dumps"), "allocators"));
  return classes
    .filter(([name]) => name.startsWith(classPrefix))
    .map(([, dump]) => field(field(dump, "attrs"), "object_count"))
    .reduce((sum, count) => sum + Number.parseInt(stringField(count, "value") ?? "0", 16), 0);
}

function field(value: unknown, name: string): JsonRecord {
  const inner = isRecord(value) ? value[name] : undefined;
  return isRecord(inner) ? inner : {};
}
