import { chromium } from "playwright-core";
import type { Browser, BrowserContext } from "playwright-core";
import { chromiumArguments, findChromium } from "../support/chromium.ts";

/** A headless Chromium with one context; closing it ends the process. */
export interface HeadlessBrowser {
  readonly browser: Browser;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

export interface BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  /** Image pixels per page pixel. */
  readonly deviceScaleFactor?: number;
  /** Whether animations run. Each of their frames is painted without a graphics card. */
  readonly hasMotion?: boolean;
}

/**
 * A response that a test has replaced counts as foreign, but must still be allowed to access this machine. The popups
 * of the address bar would be two additional pages in separate processes.
 */
const unneeded = ["LocalNetworkAccessChecks", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

export async function launchBrowser(options: BrowserOptions = {}): Promise<HeadlessBrowser> {
  const { width = 1280, height = 800, deviceScaleFactor = 1, hasMotion = true } = options;
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...chromiumArguments, "--disable-quic", `--disable-features=${unneeded.join(",")}`],
  });
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor,
    reducedMotion: hasMotion ? "no-preference" : "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(120_000);
  return { browser, context, close: () => browser.close() };
}
