import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** A program with everything that it starts. None of it outlives this process, however that ends. */
export interface ProcessGroup {
  /** Everything printed so far. */
  output(): string;
  /** Resolves when the program has ended by itself or by `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const running = new Set<number>();

export function startProcessGroup(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ProcessGroup {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...environment },
  });
  const { pid } = child;
  if (pid !== undefined) keepFromOutlivingUs(pid);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => printed.push(text));
  }
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", (error) => {
      printed.push(error.message);
      resolve();
    });
  });
  return {
    output: () => printed.join(""),
    ended,
    async stop() {
      if (pid === undefined) return;
      signal(pid, "SIGTERM");
      await Promise.race([ended, sleep(3_000, undefined, { ref: false })]);
      signal(pid, "SIGKILL");
      running.delete(pid);
    },
  };
}

function keepFromOutlivingUs(pid: number): void {
  if (!process.listeners("exit").includes(killAll)) process.once("exit", killAll);
  // A signal alone would end this process without the event `exit`.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    if (!process.listeners(name).includes(exit)) process.once(name, exit);
  }
  running.add(pid);
}

function exit(): void {
  process.exit(130);
}

function killAll(): void {
  for (const pid of running) signal(pid, "SIGKILL");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It has already ended.
  }
}
