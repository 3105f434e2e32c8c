import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { VscodeServer } from "./vscodeServer.ts";
import type { Workbench } from "./workbench.ts";

const folder = fileURLToPath(new URL("../../out/failures", import.meta.url));

/** Saves the state of the window and its server after a test failure. Returns where. */
export async function saveFailure(name: string, workbench: Workbench, server: VscodeServer): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name.replaceAll(/[^\w-]+/g, "-"));
  await workbench.screenshot(`${file}.png`).catch(() => undefined);
  writeFileSync(`${file}.log`, `${server.output()}\n--- window ---\n${workbench.consoleText}\n`);
  return file;
}
