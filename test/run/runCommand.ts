import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

const running = new Set<ChildProcess>();

/** Ends everything that is still running; for when we are ended ourselves. */
export function endCommands(): void {
  for (const child of running) child.kill("SIGTERM");
}

/** Runs a command to its end and keeps what it printed. */
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
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output: parts.join("") });
    });
  });
}
