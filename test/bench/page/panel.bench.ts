import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Frame } from "playwright-core";
import { TestWindow } from "../../host/testWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { startCpuTrace } from "./cpuTrace.ts";
import type { CpuTimes } from "./cpuTrace.ts";
import { startPanelProbe } from "./panelProbe.ts";
import type { Seen } from "./panelProbe.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const answers = [
  { tokens: 20_000, tokensPerSecond: 2_000 },
  { tokens: 100_000, tokensPerSecond: 5_000 },
];

export const benchmark: Benchmark = {
  title: "An answer of the local gateway in the real panel",
  async run() {
    const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root });
    if (built.status !== 0) throw new Error("The build failed.");
    const rows: BenchmarkRow[] = [];
    for (const answer of answers) rows.push(...(await measureAnswer(answer)));
    return rows;
  },
};

async function measureAnswer(answer: (typeof answers)[number]): Promise<readonly BenchmarkRow[]> {
  const { tokens, tokensPerSecond } = answer;
  const window = await TestWindow.open({
    server: { settings: { "inferenceGateway.localGateway.tokensPerSecond": tokensPerSecond } },
    extension: root,
  });
  try {
    const frame = await openChat(window.workbench);
    const session = await window.workbench.page.context().newCDPSession(window.workbench.page);
    const stopTrace = await startCpuTrace(session);
    await frame.evaluate(startPanelProbe);
    const start = performance.now();
    await window.workbench.chatView().send(`Please write ${tokens} tokens`);
    const seconds = await untilAnswered(frame, start);
    const cpu = await stopTrace();
    return rowsOf(answer, await frame.evaluate(() => globalThis.finishPanelProbe()), { seconds, cpu });
  } finally {
    await window.close();
  }
}

/** A chat in which one short answer has warmed everything up. */
async function openChat(workbench: Workbench): Promise<Frame> {
  await workbench.runCommand("Inference Gateway: Start Local Gateway");
  await workbench.runCommand("Inference Gateway: New Chat");
  const chat = workbench.chatView();
  await chat.messageBox.waitFor();
  const frame = await (await chat.transcript.elementHandle())?.ownerFrame();
  if (frame === null || frame === undefined) throw new Error("The chat page has no frame.");
  await chat.send("Please write 300 tokens");
  await untilAnswered(frame, performance.now());
  return frame;
}

/** Seconds until nothing streams any more. */
async function untilAnswered(frame: Frame, start: number): Promise<number> {
  await frame.waitForFunction(
    () => document.querySelector('.message.assistant.last[aria-busy="true"]') !== null,
  );
  await frame.waitForFunction(
    () => document.querySelector('.message.assistant.last[aria-busy="false"]') !== null,
    undefined,
    { timeout: 300_000, polling: 200 },
  );
  const seconds = (performance.now() - start) / 1000;
  await frame.evaluate(() => new Promise((resolve) => void setTimeout(resolve, 500)));
  return seconds;
}

function rowsOf(
  { tokens, tokensPerSecond }: (typeof answers)[number],
  seen: Seen,
  { seconds, cpu }: { readonly seconds: number; readonly cpu: CpuTimes },
): readonly BenchmarkRow[] {
  const name = (what: string): string =>
    `${tokens.toLocaleString("en")} tokens at ${tokensPerSecond.toLocaleString("en")}/s: ${what}`;
  return [
    { name: name("whole answer"), value: seconds, unit: "s" },
    { name: name("p95 cost of a frame"), value: seen.p95Cost, unit: "ms", target: "< 16.7" },
    { name: name("p95 between frames"), value: seen.p95Interval, unit: "ms" },
    { name: name("tasks over 50 ms"), value: seen.longTasks, unit: "tasks", target: "0" },
    { name: name("worst such task"), value: seen.worstTask, unit: "ms" },
    {
      name: name("cost of the last tenth"),
      value: seen.growth,
      unit: "times",
      ratioTo: "the first tenth",
      target: "at most 1.3",
    },
    { name: name("last delta painted after"), value: seen.lastDelay, unit: "ms", target: "< 100" },
    { name: name("p95 delta painted after"), value: seen.p95Delay, unit: "ms" },
    { name: name("main thread, workbench included"), value: cpu.total, unit: "ms CPU" },
    { name: name("worst task"), value: cpu.worstTask, unit: "ms CPU", target: "< 50" },
  ];
}
