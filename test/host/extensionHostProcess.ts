import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { VscodeServer } from "./vscodeServer.ts";

/** The one that remains once those of reloaded windows have ended. */
export async function findExtensionHost(server: VscodeServer): Promise<number> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(100)) {
    const [host, ...others] = findExtensionHosts(server);
    if (host !== undefined && others.length === 0) return host;
  }
  throw new Error("There is not one extension host.");
}

/** Process IDs of the running extension hosts that this server has started. Linux only. */
function findExtensionHosts(server: VscodeServer): readonly number[] {
  const processIds = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return processIds.filter(
    (processId) =>
      commandLine(processId).includes("--type=extensionHost") &&
      commandLine(parentOf(processId)).includes(server.dataFolder),
  );
}

function commandLine(processId: number | undefined): string {
  return readOf(processId, "cmdline").replaceAll("\0", " ");
}

function parentOf(processId: number): number | undefined {
  const parent = /^PPid:\s*(\d+)/m.exec(readOf(processId, "status"))?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Empty if the process has exited in the meantime. */
function readOf(processId: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${processId}/${file}`, "utf8");
  } catch {
    return "";
  }
}
