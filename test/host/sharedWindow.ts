import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { eventually } from "../support/eventually.ts";
import { editSettings } from "./editSettings.ts";
import { hideNotifications } from "./notifications.ts";
import { TestWindow } from "./testWindow.ts";
import type { Settings } from "./userSettings.ts";

interface SharedWindow {
  readonly window: TestWindow;
  settings: Settings;
  /** Whether a suite is using it, or has left it after a failure in a state that no other one expects. */
  isSpoiled: boolean;
}

let shared: SharedWindow | undefined;

// Nothing is shared where there are no tests.
if (typeof after === "function") after(closeShared);

/**
 * Opens a window for the tests of the surrounding suite, or takes the one of the suites before it, because starting VS
 * Code takes longer than most suites: with all editors closed and these settings, but with what is stored. What is in
 * the side bars and in further windows, a suite has to close itself. After a failure, the next suite gets a new window.
 *
 * @param extension Folder of the extension under development.
 * @param prepare Starts what the suite needs, and returns its settings.
 */
export function shareWindow(
  extension: string,
  prepare: () => Promise<Settings> | Settings,
  use: (window: TestWindow) => Promise<void> | void,
): void {
  before(async () => {
    const settings = await prepare();
    if (shared?.isSpoiled === true) await closeShared();
    if (shared === undefined) {
      const window = await TestWindow.open({ server: { settings }, extension });
      shared = { window, settings, isSpoiled: true };
    } else {
      shared.isSpoiled = true;
      await clean(shared, settings);
    }
    await use(shared.window);
  });
  afterEach(async function () {
    await shared?.window.reportFailure(this.currentTest);
  });
  after(function () {
    const tests = this.test?.parent?.tests ?? [];
    if (shared !== undefined && tests.every(({ state }) => state === "passed")) shared.isSpoiled = false;
  });
}

async function clean(one: SharedWindow, settings: Settings): Promise<void> {
  const { workbench, server } = one.window;
  if (await workbench.page.locator(".notifications-center.visible").isVisible())
    await hideNotifications(workbench);
  await workbench.runCommand("View: Close All Editors");
  if (isDeepStrictEqual(settings, one.settings)) return;
  // The extension has all settings by the time the window shows one of them.
  const title = `Settings ${Date.now()}`;
  await editSettings(workbench, server, (written) => ({
    ...Object.fromEntries(
      Object.entries(written).filter(
        ([name]) => !(name in one.settings) && !name.startsWith("inferenceGateway."),
      ),
    ),
    ...{ ...settings, "window.title": title },
  }));
  one.settings = settings;
  await eventually(async () => assert.ok((await workbench.page.title()).endsWith(title)));
  await workbench.runCommand("View: Close All Editors");
}

async function closeShared(): Promise<void> {
  const closing = shared?.window;
  shared = undefined;
  await closing?.close();
}
