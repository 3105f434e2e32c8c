import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { chromiumArguments, disabledFeatures, findChromium, slowDown } from "../../support/chromium.ts";

/**
 * The most that a wait takes, in milliseconds: longer than any operation takes on a slow machine, and shorter than the
 * time limit of a test.
 */
const patienceMs = 50_000;

let shared: Promise<Browser> | undefined;

// All tests of a run share one browser, each in a separate context, because starting a browser takes a second.
const isShared = typeof after === "function";
if (isShared) after(async () => (await shared)?.close());

/** Width and height in CSS pixels. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** A page that shares nothing with other pages, and a function to close it. */
export interface OwnPage {
  readonly page: Page;
  close(): Promise<void>;
}

/** Outside the tests, when times are measured, the page has its own browser. */
export async function openOwnPage(viewport: Viewport): Promise<OwnPage> {
  const browser = await (isShared ? (shared ??= launchShared()) : launch());
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  await slowDown(page);
  return {
    page,
    close: () => (isShared ? context.close() : browser.close()),
  };
}

/** A browser that is replaced if a test makes it crash. */
async function launchShared(): Promise<Browser> {
  const browser = await launch();
  browser.on("disconnected", () => (shared = undefined));
  return browser;
}

function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: [...chromiumArguments, disabledFeatures] });
}
