import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Frame, Page } from "playwright-core";
import type { VscodeServer } from "./vscodeServer.ts";
import type { Workbench } from "./workbench.ts";

const folder = fileURLToPath(new URL("../../out/failures", import.meta.url));
const logLines = 15;
const silent = "A frame doesn't respond";
/** Milliseconds that a frame may take to describe itself, and the other parts of a report: a page may hang. */
const [frameLimitMs, imageLimitMs, notificationsLimitMs, logLimitMs] = [5_000, 20_000, 10_000, 60_000];
/** Characters of a file name, without its ending. File systems allow 255 bytes. */
const nameLength = 150;

/**
 * Saves an image and the logs of the window and its server after a failure, and returns what was visible, so that a
 * failure on another machine can be explained from the output alone. The output contains only test values.
 */
export async function saveFailure(
  name: string,
  workbench: Workbench,
  server: VscodeServer,
  isExtensionRunning = true,
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name.replaceAll(/[^\w-]+/g, "-").slice(0, nameLength));
  const visible = await describeWindows(workbench);
  const hasSilentFrame = visible.some((line) => line.startsWith(silent));
  const image = workbench.screenshot(`${file}.png`).catch(() => undefined);
  await within(imageLimitMs, image, undefined);
  const shown = [
    `Visible when “${name}” failed:`,
    ...visible,
    ...(await within(notificationsLimitMs, notificationsOf(workbench.page), [
      "The notifications don't open.",
    ])),
    ...(isExtensionRunning && !hasSilentFrame
      ? await within(logLimitMs, lastLogLines(workbench), ["The extension's log doesn't open."])
      : []),
  ];
  const report = asReport(shown);
  writeFileSync(`${file}.log`, `${report}\n${server.output()}\n--- window ---\n${workbench.consoleText}\n`);
  return report;
}

/** What the step results in, or something else if that takes too long. */
async function within<Result>(limitMs: number, step: Promise<Result>, otherwise: Result): Promise<Result> {
  return await Promise.race([step, sleep(limitMs, otherwise, { ref: false })]);
}

/** Lines with a bar, so that none of them is mistaken for the summary of the tests. */
export function asReport(lines: readonly string[]): string {
  return lines.map((line) => `  | ${line}\n`).join("");
}

/** What every window of the browser shows. Changes nothing. Some tests open a second window. */
export async function describeWindows(workbench: Workbench): Promise<readonly string[]> {
  const pages = workbench.page.isClosed() ? [] : workbench.page.context().pages();
  const windows = await Promise.all(
    pages.map(async (page, index) => [
      `Window ${index + 1} of ${pages.length}`,
      ...(await Promise.all(page.frames().map(describeFrame))).flat(),
    ]),
  );
  return windows.length === 0 ? ["The window is closed."] : windows.flat();
}

/** Nothing about a frame that isn't a window or an extension's page. */
async function describeFrame(frame: Frame): Promise<readonly string[]> {
  const parent = frame.parentFrame();
  const isWorkbench = parent === null;
  if (!isWorkbench && !parent.url().includes("extensionId=")) return [];
  const description: Promise<unknown> = frame
    .evaluate(isWorkbench ? describeWorkbench : describePage)
    .catch((error: unknown) => [String(error)]);
  const lines = await within(frameLimitMs, description, [`${silent}: ${frame.url().slice(0, 80)}`]);
  return Array.isArray(lines) ? lines.map(String) : [];
}

/** What the scripts below have in common. They run in the page, whose global names aren't in the host's types. */
const inPage = `
  const cut = (text, limit) => text.length > limit ? text.slice(0, limit) + "…" : text;
  const textOf = (element, limit = 300) => cut((element.innerText ?? "").replaceAll(/\\s+/g, " ").trim(), limit);
  const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const attribute = (element, name) =>
    element.hasAttribute(name) ? " " + name + "=" + JSON.stringify(cut(element.getAttribute(name), 100)) : "";
  const focused = () => {
    const element = document.activeElement;
    if (element === null) return "nothing";
    const names = ["role", "aria-label", "class"].map((name) => attribute(element, name)).join("");
    return element.tagName.toLowerCase() + names;
  };`;

const describeWorkbench = `(() => {${inPage}
  const lines = [];
  const add = (name, elements, describe = textOf) => {
    for (const element of elements) lines.push(name + ": " + describe(element));
  };
  add("Dialog", all(".monaco-dialog-box"));
  for (const widget of all(".quick-input-widget")) {
    const inside = (selector) => all(".quick-input-widget " + selector);
    add("Quick input", [widget], () => "“" + inside(".quick-input-title").map((title) => textOf(title)).join(" ") + "”");
    add("  Box", inside("input:not([type=checkbox])"), (box) =>
      JSON.stringify(cut(box.value, 200)) + attribute(box, "placeholder"));
    add("  Message", inside(".quick-input-message").filter((message) => textOf(message) !== ""));
    add("  Row", inside(".monaco-list-row").slice(0, 20), (row) =>
      (row.classList.contains("focused") ? "(focused) " : "") + textOf(row, 160));
  }
  add("Menu", all(".monaco-menu"));
  add("Notification", all(".notification-list-item"));
  add("Tab", all(".tabs-container .tab"), (tab) =>
    (tab.classList.contains("active") ? "(active) " : "") + textOf(tab, 80));
  for (const pane of all(".pane")) {
    lines.push("View: " + textOf(pane.querySelector(".pane-header") ?? pane, 80));
    add("  Row", [...pane.querySelectorAll(".monaco-list-row")].slice(0, 12), (row) => textOf(row, 160));
  }
  lines.push("Status bar: " + textOf(document.querySelector(".part.statusbar") ?? document.body, 400));
  lines.push("Recent status bars: " + cut(JSON.stringify((globalThis.shownStatuses ?? []).slice(-3).map((status) => status.split("/*")[0])), 900));
  lines.push("Focus: " + focused() + (document.hasFocus() ? "" : " (the window doesn't have the focus)"));
  return lines;
})()`;

const describePage = `(() => {${inPage}
  const text = document.body === null ? "" : textOf(document.body, 1_000_000);
  const end = text.length > 1_500 ? "…" + text.slice(-1_500) : text;
  const dialogs = all("[role=dialog], [role=alertdialog]").map((dialog) => "  Dialog: " + textOf(dialog));
  return ["Page: " + end, ...dialogs, "  Focus: " + (document.hasFocus() ? focused() : "not in this page")];
})()`;

/**
 * The test driver suppresses notification pop-ups, so their list is opened unless something is over it. The focus then
 * returns to where it was, or the following tests would fail as well.
 */
async function notificationsOf(page: Page): Promise<readonly string[]> {
  const list = page.locator(".notifications-center.visible");
  const items = list.locator(".notification-list-item");
  const bell = page.locator(".part.statusbar .statusbar-item[id='status.notifications']");
  const focused = await page.evaluateHandle("document.activeElement").catch(() => undefined);
  try {
    if (await list.isVisible()) return [];
    await bell.click({ timeout: 2_000 });
    await items.first().waitFor({ timeout: 1_000 });
    const texts = await items.allInnerTexts();
    await bell.click({ timeout: 2_000 });
    return texts.map((text) => `Notification: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`);
  } catch {
    return ["No notification, or their list could not be opened."];
  } finally {
    await focused
      ?.asElement()
      ?.focus()
      .catch(() => undefined);
  }
}

/**
 * The end of the extension's log, from its own command, because the server writes no log files. Whatever is still open
 * would take the keys, so it is closed.
 */
async function lastLogLines(workbench: Workbench): Promise<readonly string[]> {
  const { page, quickInput } = workbench;
  try {
    for (const open of [workbench.dialog, quickInput.input]) {
      if (!(await open.isVisible())) continue;
      await open.press("Escape", { timeout: 3_000 });
      await open.waitFor({ state: "hidden", timeout: 3_000 });
    }
    await page.evaluate("navigator.clipboard.writeText('')");
    await workbench.runCommand("Inference Gateway: Manage Profile…", 10_000);
    await quickInput.input.fill("Copy Diagnostics", { timeout: 5_000 });
    await quickInput.row("Copy Diagnostics").waitFor({ timeout: 5_000 });
    await quickInput.input.press("Enter", { timeout: 5_000 });
    const copied = await readCopied(page);
    const [, log = ""] = copied.split(/^### End of the log.*$/m);
    const lines = log.split("\n").filter((line) => line !== "" && !line.startsWith("```"));
    return ["The extension's log:", ...lines.slice(-logLines).map((line) => `  ${line.slice(0, 500)}`)];
  } catch (error) {
    return [`The extension's log can't be read: ${String(error).split("\n")[0]}`];
  }
}

/** Empty unless something is copied in a few seconds. */
async function readCopied(page: Page): Promise<string> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const text = await page.evaluate("navigator.clipboard.readText()");
    if (typeof text === "string" && text !== "") return text;
    await sleep(250);
  }
  return "";
}
