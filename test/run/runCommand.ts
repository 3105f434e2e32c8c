import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

const running = new Set<ChildProcess>();

/** No stage takes a third of this on a slow machine. One that exceeds it hangs, and its output shows where. */
const limitMs = 25 * 60_000;

/** Ends everything that is still running. Called when this process is ended. */
export function endCommands(): void {
  for (const child of running) child.kill("SIGTERM");
}

/** Runs a command until it exits and keeps its output. A command that hangs is ended and counts as failed. */
export function runCommand(
  command: readonly string[],
  folder: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  running.add(child);
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  }
  const limit = setTimeout(() => {
    parts.push(`\nEnded after ${limitMs / 60_000} minutes.\n`);
    child.kill("SIGKILL");
    // Programs that it started may still hold its output, which would never end.
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  }, limitMs);
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => {
      clearTimeout(limit);
      running.delete(child);
      resolve({ code: code ?? 1, output: parts.join("") });
    });
  });
}
