import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "./browser.ts";
import type { BrowserOptions, HeadlessBrowser } from "./browser.ts";
import { saveFailure } from "./failureReport.ts";
import { startVscodeServer } from "./vscodeServer.ts";
import type { ServerOptions, VscodeServer } from "./vscodeServer.ts";
import { Workbench } from "./workbench.ts";

export interface TestWindowOptions {
  readonly server?: ServerOptions;
  readonly browser?: BrowserOptions;
  /** An extension under development. */
  readonly extension?: string;
  /** The workspace; empty by default. */
  readonly folder?: string;
  /** Whether extension pages run in a process of their own, as on the desktop. */
  readonly hasIsolatedPages?: boolean;
  /** The display language, such as "zh-cn". */
  readonly language?: string;
  /** Environment variables of the extension host alone. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * VS Code restores the focus to a page shortly after the palette has closed. On a busy machine, the command's input box
 * is already open by then, and would close when it loses the focus.
 */
const steadyQuestions = { "workbench.quickOpen.closeOnFocusLost": false };

/** What was visible when tests failed. Printed after the summary of the tests, where `npm test` shows it. */
const reports = new Map<string, string>();
process.once("exit", () => {
  for (const report of reports.values()) process.stdout.write(`\n${report}`);
});

/** A VS Code server, a browser and its window, opened and closed together. */
export class TestWindow {
  readonly server: VscodeServer;
  readonly workbench: Workbench;
  readonly #chromium: HeadlessBrowser;
  #hasRunTest = false;

  private constructor(server: VscodeServer, chromium: HeadlessBrowser, workbench: Workbench) {
    this.server = server;
    this.#chromium = chromium;
    this.workbench = workbench;
  }

  static async open(options: TestWindowOptions = {}): Promise<TestWindow> {
    const [server, chromium] = await Promise.all([
      startVscodeServer({
        ...options.server,
        settings: { ...steadyQuestions, ...options.server?.settings },
      }),
      launchBrowser({ hasMotion: false, ...options.browser }),
    ]);
    const workbench = await Workbench.open(chromium.context, server, {
      folder: options.folder ?? mkdtempSync(join(tmpdir(), "workspace-")),
      hasIsolatedPages: options.hasIsolatedPages === true,
      ...(options.extension === undefined ? {} : { extension: options.extension }),
      ...(options.language === undefined ? {} : { language: options.language }),
      ...(options.environment === undefined ? {} : { environment: options.environment }),
    });
    return new TestWindow(server, chromium, workbench);
  }

  /** For `afterEach`: saves an image and the logs of a failed test, and prints what was visible. */
  async reportFailure(test: Mocha.Test | undefined): Promise<void> {
    this.#hasRunTest = true;
    if (test?.state === "passed" || test?.isPending() === true) return;
    await this.#report(test?.fullTitle() ?? "A hook");
  }

  async close(): Promise<void> {
    // No test has run because what prepares the tests failed. Benchmarks and screenshots have no tests.
    if (!this.#hasRunTest && typeof afterEach === "function") await this.#report("Preparing the tests");
    await this.#chromium.close();
    await this.server.stop();
  }

  /** A report that fails must not keep the window open, nor prevent the following tests. */
  async #report(title: string): Promise<void> {
    const report = await saveFailure(title, this.workbench, this.server).catch(
      (error: unknown) => `  | “${title}” can't be reported: ${String(error)}\n`,
    );
    reports.set(title, report);
  }
}
