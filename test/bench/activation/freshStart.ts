import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "../../host/browser.ts";
import { startVscodeServer } from "../../host/vscodeServer.ts";
import { Workbench } from "../../host/workbench.ts";

/** How long the start of an extension took, in milliseconds. */
export interface ActivationTime {
  /** From calling `activate()` on its handle until it is active, as seen by another extension. */
  readonly total: number;
  /** Reading and running its code up to its `activate` function. */
  readonly loadCode: number;
  /** Inside its `activate` function. */
  readonly callActivate: number;
}

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const probe = folder("./probe");
const tested = [folder("../../.."), folder("./empty")];

/**
 * Starts a separate VS Code, activates our extension and an empty one in it, and returns the time that each took by ID.
 * `isReversed` activates the empty one first.
 */
export async function measureFreshStart(isReversed: boolean): Promise<ReadonlyMap<string, ActivationTime>> {
  const lines: string[] = [];
  const server = await startVscodeServer({ settings: {}, extensions: tested });
  const chromium = await launchBrowser();
  try {
    const workbench = await Workbench.open(chromium.context, server, {
      folder: mkdtempSync(join(tmpdir(), "workspace-")),
      extension: probe,
      tests: join(probe, "probe.cjs"),
      environment: { PROBE_REVERSED: isReversed ? "1" : "0" },
      onOutput: (line) => lines.push(line),
    });
    const code = await workbench.exit;
    if (code !== 0) throw new Error(`The probe ended with code ${code}.\n${lines.join("\n")}`);
  } finally {
    await chromium.close();
    await server.stop();
  }
  return new Map(lines.filter((line) => line.startsWith("PROBE ")).map(parseLine));
}

/** `PROBE id total loadCode callActivate`. */
function parseLine(line: string): readonly [string, ActivationTime] {
  const [, id = "", ...texts] = line.split(" ");
  const [total = NaN, loadCode = NaN, callActivate = NaN] = texts.map(Number);
  return [id, { total, loadCode, callActivate }];
}
