import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Frame } from "playwright-core";
import { TestWindow } from "../../host/testWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { startCpuTrace } from "./cpuTrace.ts";
import type { CpuTimes } from "./cpuTrace.ts";
import { startPanelProbe } from "./panelProbe.ts";
import type { Seen } from "./panelProbe.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A response of the local gateway. */
export interface Answer {
  readonly tokens: number;
  readonly tokensPerSecond: number;
}

/** The cost of one response in the real panel. */
export interface PanelResponse {
  readonly seen: Seen;
  readonly cpu: CpuTimes;
  /** From the question until nothing is streaming anymore. */
  readonly seconds: number;
}

export function buildExtension(): void {
  const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root });
  if (built.status !== 0) throw new Error("The build failed.");
}

/** Requests the response in the real panel of the built extension. */
export async function measurePanelResponse({ tokens, tokensPerSecond }: Answer): Promise<PanelResponse> {
  const window = await TestWindow.open({
    server: { settings: { "inferenceGateway.localGateway.tokensPerSecond": tokensPerSecond } },
    extension: root,
    browser: { hasMotion: true },
  });
  try {
    const frame = await openChat(window.workbench);
    const session = await window.workbench.page.context().newCDPSession(window.workbench.page);
    const stopTrace = await startCpuTrace(session, "busiest");
    await frame.evaluate(startPanelProbe);
    const send = (): Promise<void> => window.workbench.chatView().send(`Please write ${tokens} tokens`);
    const seconds = await untilResponded(frame, send);
    const cpu = await stopTrace();
    return { seen: await frame.evaluate(() => globalThis.finishPanelProbe()), cpu, seconds };
  } finally {
    await window.close();
  }
}

/** A chat in which one short response has warmed everything up. */
async function openChat(workbench: Workbench): Promise<Frame> {
  const chat = await workbench.startChat();
  const frame = await (await chat.transcript.elementHandle())?.ownerFrame();
  if (frame === null || frame === undefined) throw new Error("The chat page has no frame.");
  await untilResponded(frame, () => chat.send("Please write 300 tokens"));
  return frame;
}

/** Seconds from the question until its response is complete, which may be too soon to be seen streaming. */
async function untilResponded(frame: Frame, send: () => Promise<void>): Promise<number> {
  const last = await frame.evaluateHandle(() => document.querySelector(".message.assistant.last"));
  const start = performance.now();
  await send();
  const message = await frame.waitForFunction((earlier) => {
    const latest = document.querySelector(".message.assistant.last");
    return latest === earlier ? null : latest;
  }, last);
  // Searching for the element again would visit every element of the page each time.
  await frame.waitForFunction(
    (element) => element?.isConnected !== true || element.getAttribute("aria-busy") === "false",
    message,
    { timeout: 300_000, polling: 200 },
  );
  const seconds = (performance.now() - start) / 1000;
  await frame.evaluate(() => new Promise((resolve) => void setTimeout(resolve, 500)));
  return seconds;
}
