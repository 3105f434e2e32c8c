import { existsSync, readdirSync } from "node:fs";
import { findInPath } from "./findInPath.mjs";
import { step } from "./progress.mjs";
import { runProgram } from "./runProgram.mjs";
import { SetupError } from "./setupError.mjs";

/** Without a font, text in screenshots is unreadable, and a minimal Debian doesn't have one. */
const packages = ["chromium", "fonts-dejavu-core", "fonts-liberation"];

/** The machine's Chromium or Chrome, installed from Debian's packages if possible. */
export async function ensureChromium() {
  const found = findChromium();
  if (found !== undefined && hasFonts()) return found;
  const problem = await installFromDebian();
  const installed = findChromium();
  if (installed !== undefined) return installed;
  throw new SetupError(
    `Chromium is missing${problem}. Install it (Debian: \`sudo apt-get install ${packages.join(" ")}\`), or set CHROMIUM to the path of Chromium or Chrome.`,
  );
}

function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const found = findInPath("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  const places = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  ];
  return found ?? places.find((place) => existsSync(place));
}

function hasFonts() {
  if (process.platform !== "linux") return true;
  const folder = "/usr/share/fonts";
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** Empty if it was installed, otherwise a clause explaining why not. */
async function installFromDebian() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || findInPath("apt-get") === undefined) return "";
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return step("Installing Chromium from Debian's packages", async () => {
    await runProgram("apt-get", ["update", "-qq"], { env });
    const install = ["install", "-y", "-qq", "--no-install-recommends", ...packages];
    const { code, output } = await runProgram("apt-get", install, { env });
    const reason = output.split("\n").find((line) => line.startsWith("E: "));
    return code === 0 ? "" : ` and apt-get could not install it (${reason ?? `exit code ${code}`})`;
  });
}
