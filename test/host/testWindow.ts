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
  /** The workspace; an empty one unless given. */
  readonly folder?: string;
  /** Pages of extensions run in a process of their own, as on the desktop. */
  readonly hasIsolatedPages?: boolean;
  /** The display language, such as "de". */
  readonly language?: string;
  /** Environment variables of the extension host alone. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * VS Code gives the focus back to a page a moment after the palette has gone. On a busy machine the question that the
 * command asks is there by then, and would go again with the focus.
 */
const steadyQuestions = { "workbench.quickOpen.closeOnFocusLost": false };

/** A VS Code server, a browser and the window in it, opened and closed together. */
export class TestWindow {
  readonly server: VscodeServer;
  readonly workbench: Workbench;
  readonly #chromium: HeadlessBrowser;

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
      launchBrowser(options.browser),
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

  /** For `afterEach`: keeps an image and the logs of a test that failed. */
  async reportFailure(test: Mocha.Test | undefined): Promise<void> {
    if (test?.state === "failed") await saveFailure(test.fullTitle(), this.workbench, this.server);
  }

  async close(): Promise<void> {
    await this.#chromium.close();
    await this.server.stop();
  }
}
