import { existsSync } from "node:fs";

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
