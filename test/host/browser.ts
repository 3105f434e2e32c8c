import { chromium } from "playwright-core";
import type { Browser, BrowserContext } from "playwright-core";
import { chromiumArguments, disabledFeatures, findChromium } from "../support/chromium.ts";

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

export async function launchBrowser(options: BrowserOptions = {}): Promise<HeadlessBrowser> {
  const { width = 1280, height = 800, deviceScaleFactor = 1, hasMotion = true } = options;
  const browser = await chromium.launch({
    executablePath: findChromium(),
    // A response that a test has replaced counts as foreign, but must still be allowed to access this machine.
    args: [...chromiumArguments, "--disable-quic", `${disabledFeatures},LocalNetworkAccessChecks`],
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
