import { existsSync } from "node:fs";
import type { Page } from "playwright-core";

const usualPlaces: readonly string[] = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Path of the browser in which the page is tested: `CHROMIUM`, or one of the usual locations. */
export function findChromium(): string {
  const found = [process.env["CHROMIUM"] ?? "", ...usualPlaces].find(
    (path) => path !== "" && existsSync(path),
  );
  if (found === undefined) {
    throw new Error(
      "No Chromium was found. Install it (Debian: apt install chromium) or set CHROMIUM to its path.",
    );
  }
  return found;
}

/** Arguments for a browser that runs without a screen and makes no requests by itself. */
export const chromiumArguments: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/**
 * What tests of pages don't need of the browser around them. Each window would load the two popups of the address bar
 * as pages in processes of their own. The argument replaces Playwright's, so what that disables is repeated.
 */
export const disabledFeatures = `--disable-features=${[
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
].join(",")}`;

/** Makes the page as many times slower as `PAGE_SLOWDOWN` says, which shows what goes wrong on a slow machine. */
export async function slowDown(page: Page): Promise<void> {
  const rate = Number(process.env["PAGE_SLOWDOWN"] ?? 1);
  if (!(rate > 1)) return;
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}
