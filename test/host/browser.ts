import { chromium } from "playwright-core";
import type { Browser, BrowserContext } from "playwright-core";

/** A headless Chromium with one context; closing it ends the process. */
export interface HeadlessBrowser {
  readonly browser: Browser;
  readonly context: BrowserContext;
  close(): Promise<void>;
}

export async function launchBrowser(
  viewport: { readonly width: number; readonly height: number } = { width: 1280, height: 800 },
): Promise<HeadlessBrowser> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const context = await browser.newContext({ viewport, permissions: ["clipboard-read", "clipboard-write"] });
  return { browser, context, close: () => browser.close() };
}
