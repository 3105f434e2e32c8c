import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { chromiumArguments, findChromium } from "../../support/chromium.ts";

let shared: Promise<Browser> | undefined;

// All tests of a run share one browser, each in a separate context, because starting a browser takes a second.
const isShared = typeof after === "function";
if (isShared) after(async () => (await shared)?.close());

/** A page that shares nothing with other pages, and a function to close it. */
export interface OwnPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** Outside the tests, when times are measured, the page has its own browser. */
export async function openOwnPage(viewport: {
  readonly width: number;
  readonly height: number;
}): Promise<OwnPage> {
  const browser = await (isShared ? (shared ??= launch()) : launch());
  const context = await browser.newContext({ viewport });
  return {
    page: await context.newPage(),
    close: () => (isShared ? context.close() : browser.close()),
  };
}

function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...chromiumArguments] });
}
