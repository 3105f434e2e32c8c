import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { TestWindow } from "../../../host/testWindow.ts";
import type { Workbench } from "../../../host/workbench.ts";
import { startCpuTrace } from "../cpuTrace.ts";
import type { CpuTimes } from "../cpuTrace.ts";
import { startGatewayProcess } from "../gatewayProcess.ts";
import type { Answer } from "../panelResponse.ts";

const extension = fileURLToPath(new URL("./extension", import.meta.url));
/** A very slow chat may need this many milliseconds for a whole response. */
const longest = 120_000;

/** The cost of one response in VS Code's own chat. */
export interface NativeResponse {
  readonly cpu: CpuTimes;
  /** From the question until all of the response is on screen. */
  readonly seconds: number;
  /** Milliseconds from the arrival of the last token in the extension host until it is on screen. */
  readonly lastDelay: number;
}

/** Makes VS Code's own chat request a response from the local gateway, through a language model provider. */
export async function measureNativeResponse({ tokens, tokensPerSecond }: Answer): Promise<NativeResponse> {
  const gateway = await startGatewayProcess(tokensPerSecond);
  const window = await TestWindow.open({
    extension,
    browser: { hasMotion: true },
    environment: { BENCH_URL: gateway.inferenceBaseUrl, BENCH_KEY: gateway.apiKey },
    server: { settings: { "chat.disableAIFeatures": false } },
  });
  try {
    const { workbench } = window;
    await openChat(workbench);
    const session = await workbench.page.context().newCDPSession(workbench.page);
    const stopTrace = await startCpuTrace(session, "busiest");
    const start = Date.now();
    await workbench.page.keyboard.type(`Please write ${tokens} tokens`);
    await workbench.page.keyboard.press("Enter");
    const lastDelay = await untilPainted(workbench, start);
    const seconds = (Date.now() - start) / 1000;
    return { cpu: await stopTrace(), seconds, lastDelay };
  } finally {
    await window.close();
    await gateway.stop();
  }
}

/** One short response warms everything up. */
async function openChat(workbench: Workbench): Promise<void> {
  await workbench.prepareOwnChat("Echo");
  await workbench.runCommand("Bench: Ask VS Code's Own Chat");
  await untilPainted(workbench, 0);
  await workbench.page.locator(".interactive-input-part .monaco-editor").first().click();
}

/** Waits until the end of a response that arrived after `since` has been painted; returns how long ago that was. */
async function untilPainted({ page }: Workbench, since: number): Promise<number> {
  const deadline = Date.now() + longest;
  while (Date.now() < deadline) {
    const arrivedAt = await page.evaluate(findEnd);
    if (arrivedAt > since) return (await page.evaluate(afterPaint)) - arrivedAt;
    await sleep(50);
  }
  throw new Error("VS Code's own chat did not show the whole response.");
}

/** Runs inside the page: when the last response that is completely on screen arrived, otherwise 0. */
function findEnd(): number {
  // The last words may be in a code block, which VS Code shows as an editor.
  const lines = document.querySelectorAll(".interactive-response :is(.rendered-markdown p, .view-line)");
  const last = [...lines].at(-1);
  return Number(/ARRIVED-(\d+)-END/.exec(last?.textContent ?? "")?.[1] ?? 0);
}

/** Runs inside the page: the time at which the current content has been painted. */
async function afterPaint(): Promise<number> {
  await new Promise((resolve) => void requestAnimationFrame(() => setTimeout(resolve)));
  return Date.now();
}
