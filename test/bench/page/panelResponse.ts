import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Frame } from "playwright-core";
import { findExtensionHost } from "../../host/extensionHostProcess.ts";
import { TestWindow } from "../../host/testWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { startCpuTrace } from "./cpuTrace.ts";
import type { CpuTimes } from "./cpuTrace.ts";
import { startGatewayProcess } from "./gatewayProcess.ts";
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
  /**
   * CPU time of the extension host in percent of a core, VS Code's own work included: in the second half, when the code
   * has been compiled.
   */
  readonly hostPercent: number;
}

export function buildExtension(): void {
  const built = spawnSync(process.execPath, ["esbuild.js", "--production"], { cwd: root });
  if (built.status !== 0) throw new Error("The build failed.");
}

/** Requests the response in the real panel of the built extension, from a gateway in a process of its own. */
export async function measurePanelResponse({ tokens, tokensPerSecond }: Answer): Promise<PanelResponse> {
  const gateway = await startGatewayProcess(tokensPerSecond);
  const { inferenceBaseUrl } = gateway;
  const profile = { name: "Bench", inferenceBaseUrl, credentialVariable: "BENCH_KEY" };
  const window = await TestWindow.open({
    server: {
      settings: { "inferenceGateway.profiles": [profile], "inferenceGateway.activeProfile": profile.name },
    },
    extension: root,
    browser: { hasMotion: true },
    environment: { BENCH_KEY: gateway.apiKey },
  });
  try {
    const frame = await openChat(window.workbench);
    const session = await window.workbench.page.context().newCDPSession(window.workbench.page);
    const stopTrace = await startCpuTrace(session, "busiest");
    await frame.evaluate(startPanelProbe);
    const send = (): Promise<void> => window.workbench.chatView().send(`Please write ${tokens} tokens`);
    const host = await findExtensionHost(window.server);
    const half = (tokens / tokensPerSecond / 2) * 1000;
    const [seconds, [beganAt, before]] = await Promise.all([
      untilResponded(frame, send),
      sleep(half).then(() => [performance.now(), cpuSeconds(host)] as const),
    ]);
    const hostPercent = ((cpuSeconds(host) - before) / (performance.now() - beganAt)) * 100_000;
    const cpu = await stopTrace();
    const seen = await frame.evaluate(() => globalThis.finishPanelProbe());
    return { seen, cpu, seconds, hostPercent };
  } finally {
    await window.close();
    await gateway.stop();
  }
}

/** CPU time that all threads of a process have used. Linux only, in ticks of 10 ms. */
function cpuSeconds(processId: number): number {
  const [, rest = ""] = readFileSync(`/proc/${processId}/stat`, "utf8").split(") ");
  const [user, system] = rest.split(" ").slice(11);
  return (Number(user) + Number(system)) / 100;
}

/** A chat in which one short response has warmed everything up. */
async function openChat(workbench: Workbench): Promise<Frame> {
  await workbench.runCommand("Inference Gateway: New Chat");
  // The profile reads its key from a variable.
  await workbench.page.getByRole("button", { name: "Allow", exact: true }).click();
  await workbench.selectModel("demo-lab/echo-omni");
  const chat = workbench.chatView();
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
