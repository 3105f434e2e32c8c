// Uses the extension in a real VS Code as a person does in hours, without the pauses, and compares what is left after
// each round: memory of the extension host and of the window after garbage collection, and files, sockets, timers and
// processes that are still open. `npm run soak -- 3` runs three rounds instead of eight.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CDPSession } from "playwright-core";
import { createModel } from "../src/localGateway/inference/catalog.ts";
import type { ExtraModel } from "../src/localGateway/inference/chatRequest.ts";
import type { ResponsePiece } from "../src/localGateway/inference/responseSink.ts";
import { finish } from "../src/localGateway/inference/tokens.ts";
import { startLocalGateway } from "../src/localGateway/service/startLocalGateway.ts";
import { findExtensionHost } from "./host/extensionHostProcess.ts";
import { HostInspector } from "./host/hostInspector.ts";
import { TestWindow } from "./host/testWindow.ts";
import type { Workbench } from "./host/workbench.ts";
import { createFaultModels } from "./support/faultModels.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const rounds = Number(process.argv[2] ?? 8);
/** What is loaded on first use, compiled or cached is there after this many rounds. */
const warmRounds = 2;
const hugeCharacters = 20_000_000;
/** How much more than after the warm rounds may be there at the end: noise, not a leak in every round. */
const allowed = { hostMegabytes: 6, windowMegabytes: 15, resources: 3, files: 3, processes: 0 };
const figures = ["hostMegabytes", "windowMegabytes", "resources", "files", "processes"] as const;

type Counts = Record<(typeof figures)[number], number>;

function createHugeModel(): ExtraModel {
  const paragraph = `${"A response of many words fills the page. ".repeat(24)}\n\n`;
  return {
    model: createModel("soak/huge", "extra"),
    *respond(): Generator<ResponsePiece> {
      for (let sent = 0; sent < hugeCharacters; sent += paragraph.length)
        yield { type: "text", text: paragraph };
      yield finish();
    },
  };
}

async function useChats(workbench: Workbench): Promise<void> {
  // Two short conversations: the echo doubles with each turn, and the inspector keeps the latest 16 million characters.
  let chat = await workbench.newChat();
  for (let turn = 1; turn <= 12; turn++) {
    if (turn === 7) chat = await workbench.newChat();
    if (turn % 6 === 1) await workbench.selectModel("demo-lab/echo-omni");
    await chat.send(`Question ${turn} with **some** words and \`code\`.`);
    await chat.waitUntilAnswered();
  }
  await workbench.selectModel("demo-faults/error-in-mid-stream");
  await chat.send("Break off");
  await chat.waitUntilAnswered();
}

async function readHugeResponse(workbench: Workbench): Promise<void> {
  const chat = await workbench.newChat();
  await workbench.selectModel("soak/huge");
  await chat.send("Not everything");
  await chat.stopButton.click();
  await chat.waitUntilAnswered();
  // This exceeds the context window, so the chat is closed with an open question.
  await chat.send("And the rest");
  await chat.frame.getByRole("alertdialog", { name: "Message on hold" }).waitFor();
  const next = await workbench.newChat();
  await next.send("Everything");
  await next.stopButton.waitFor({ state: "hidden", timeout: 240_000 });
  await next.waitUntilAnswered();
  await next.lastArticle.getByRole("button", { name: /^Usage: / }).waitFor();
}

async function lookAround(workbench: Workbench): Promise<void> {
  for (let time = 0; time < 3; time++) {
    await workbench.runCommand("Inference Gateway: Show Servers as Table");
    await workbench.editorTab("GPU Servers").waitFor();
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await workbench.runCommand("Inference Gateway: Show Costs");
    await workbench.editorTab("Costs").waitFor();
    await workbench.runCommand("View: Close All Editors");
  }
}

async function count(window: TestWindow, host: HostInspector, page: CDPSession): Promise<Counts> {
  const { workbench, server } = window;
  await workbench.runCommand("View: Close All Editors");
  // Whatever is kept for a while, such as connections, is kept for less than this.
  await workbench.page.waitForTimeout(20_000);
  const processId = await findExtensionHost(server);
  const { heap, resources } = await host.memory();
  await page.send("HeapProfiler.collectGarbage");
  await page.send("HeapProfiler.collectGarbage");
  const { usedSize } = await page.send("Runtime.getHeapUsage");
  const children = spawnSync("pgrep", ["-P", String(processId)], { encoding: "utf8" }).stdout;
  return {
    hostMegabytes: heap / 1e6,
    windowMegabytes: usedSize / 1e6,
    resources,
    files: readdirSync(`/proc/${processId}/fd`).length,
    processes: children.split("\n").filter(Boolean).length,
  };
}

const gateway = await startLocalGateway({ tokensPerSecond: 100_000 }, [
  ...createFaultModels().filter(({ model }) => model.id.endsWith("mid-stream")),
  createHugeModel(),
]);
const profile = {
  name: "Soak",
  inferenceBaseUrl: gateway.inferenceBaseUrl,
  gatewayUrl: gateway.gatewayUrl,
  gatewayCredential: "sessionToken",
};
const window = await TestWindow.open({
  server: { settings: { "inferenceGateway.profiles": [profile] } },
  extension: root,
});
try {
  const { workbench, server } = window;
  await workbench.runFromPicker("Set Credential…", "API Key");
  await workbench.quickInput.answer(gateway.credentials.apiKey);
  await workbench.runFromPicker("Set Credential…", "Session Token");
  await workbench.quickInput.answer(gateway.credentials.sessionToken);
  const host = await HostInspector.open(await findExtensionHost(server));
  const page = await workbench.page.context().newCDPSession(workbench.page);
  const all: Counts[] = [];
  for (let round = 1; round <= rounds; round++) {
    await useChats(workbench);
    await readHugeResponse(workbench);
    await lookAround(workbench);
    const counts = await count(window, host, page);
    all.push(counts);
    const shown = figures.map((name) => `${name} ${counts[name].toFixed(1)}`);
    process.stdout.write(`Round ${round}: ${shown.join(", ")}\n`);
  }
  const [warm, last] = [all[Math.min(warmRounds, rounds) - 1], all.at(-1)];
  assert.ok(warm !== undefined && last !== undefined);
  const left = figures.flatMap((name) => {
    const more = last[name] - warm[name];
    return more <= allowed[name] ? [] : [`${name}: ${more.toFixed(1)} more`];
  });
  host.close();
  if (left.length > 0) throw new Error(`Something is left behind by every round.\n${left.join("\n")}`);
  process.stdout.write("Nothing is left behind.\n");
} finally {
  await window.close();
  await gateway.stop();
}
