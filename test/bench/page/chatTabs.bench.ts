import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";
import { TestWindow } from "../../host/testWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { buildExtension } from "./panelResponse.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const emptyWebview = fileURLToPath(new URL("./emptyWebview", import.meta.url));
const tabs = 12;
const rounds = 2;

/** What the user waits for when chats open: after a reload with many tabs, and for a new one. */
export const benchmark: Benchmark = {
  title: `Opening chats: a reload with ${tabs} chat tabs, and New Chat (minima of ${rounds})`,
  async run() {
    buildExtension();
    const { opened, reloads } = await measureChats();
    return [...newChatRows(opened, await openEmptyPages()), ...reloadRows(reloads)];
  },
};

async function measureChats(): Promise<{ readonly opened: number[]; readonly reloads: Reload[] }> {
  const window = await TestWindow.open({ extension: root, browser: { hasMotion: true } });
  try {
    const { workbench } = window;
    const { page } = workbench;
    await workbench.startChat();
    await workbench.chatView().send("Please write 300 tokens");
    await workbench.chatView().waitUntilAnswered();
    const opened: number[] = [];
    for (let tab = 1; tab < tabs; tab++)
      opened.push(await openPage(workbench, "Inference Gateway: New Chat"));
    const reloads: Reload[] = [];
    for (let round = 0; round < rounds; round++) {
      // Until the window has stored what it is going to restore.
      await page.waitForTimeout(3_000);
      reloads.push(await reload(page));
    }
    return { opened, reloads };
  } finally {
    await window.close();
  }
}

/** The least that any page in a tab takes, in milliseconds. */
async function openEmptyPages(): Promise<readonly number[]> {
  const window = await TestWindow.open({ extension: emptyWebview, browser: { hasMotion: true } });
  try {
    const opened: number[] = [];
    for (let tab = 1; tab < tabs; tab++)
      opened.push(await openPage(window.workbench, "Bench: New Empty Webview"));
    return opened;
  } finally {
    await window.close();
  }
}

interface Reload {
  /** Milliseconds from the start until VS Code has restored its editors, including ours. */
  readonly workbench: number;
  /** Milliseconds until the visible chat accepts input. */
  readonly chat: number;
  /** How many chat pages exist then. */
  readonly pages: number;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function newChatRows(opened: readonly number[], empty: readonly number[]): readonly BenchmarkRow[] {
  return [
    {
      name: "New Chat: from its command to a usable page",
      value: least(opened),
      unit: "ms",
      failAbove: 3_000,
    },
    { name: "empty webview: from its command to a usable page", value: least(empty), unit: "ms" },
    {
      name: "New Chat: more than an empty webview",
      value: least(opened) - least(empty),
      unit: "ms",
      target: "at most 40",
      failAbove: 300,
    },
  ];
}

function reloadRows(reloads: readonly Reload[]): readonly BenchmarkRow[] {
  const after = least(reloads.map(({ chat, workbench }) => chat - workbench));
  return [
    { name: "reload: workbench restored", value: least(reloads.map((one) => one.workbench)), unit: "ms" },
    { name: "reload: chat usable", value: least(reloads.map(({ chat }) => chat)), unit: "ms" },
    {
      ...{ name: "reload: chat usable after the workbench", value: after, unit: "ms" },
      ...{ target: "at most 1,000 ms", failAbove: 4_000 },
    },
    {
      ...{ name: "reload: chat pages loaded", value: Math.max(...reloads.map(({ pages }) => pages)) },
      ...{ unit: "pages", target: "1: the visible one", failAbove: 1 },
    },
  ];
}

/** Milliseconds from accepting the command in the palette until the new page accepts input. */
async function openPage(workbench: Workbench, command: string): Promise<number> {
  const { page } = workbench;
  const before = new Set(page.frames());
  let start = 0;
  const onKey = (): void => {
    start ||= performance.now();
  };
  // The palette closes when the command starts.
  const closed = page.locator(".quick-input-widget").waitFor({ state: "hidden" }).then(onKey);
  await workbench.runCommand(command);
  await closed;
  await usablePage(page, (frame) => !before.has(frame));
  return performance.now() - start;
}

async function reload(page: Page): Promise<Reload> {
  await page.reload({ waitUntil: "commit" });
  const start = await page.evaluate(() => performance.timeOrigin);
  await usablePage(page, () => true);
  const chat = Date.now() - start;
  const workbench = await page.evaluate(
    () => performance.getEntriesByName("code/didRestoreEditors")[0]?.startTime ?? Number.NaN,
  );
  await page.waitForTimeout(1_000);
  const found = await Promise.all(page.frames().map(hasComposer));
  return { workbench, chat, pages: found.filter(Boolean).length };
}

async function usablePage(page: Page, isWanted: (frame: Frame) => boolean): Promise<void> {
  for (;;) {
    const found = await Promise.all(page.frames().map((frame) => isWanted(frame) && hasComposer(frame)));
    if (found.includes(true)) return;
    await page.waitForTimeout(10);
  }
}

/** Whether it is a visible chat page whose composer accepts input. The frame may be closing. */
function hasComposer(frame: Frame): Promise<boolean> {
  return frame
    .evaluate(() => {
      const box = document.querySelector("textarea");
      return box !== null && !box.disabled && innerWidth > 100 && box.checkVisibility();
    })
    .catch(() => false);
}
