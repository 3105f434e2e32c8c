import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sshArguments } from "../../src/core/servers/connect/sshSession.ts";
import { GpuConnection } from "../../src/processes/servers/gpuConnection.ts";
import { ensureSshServer } from "../setup/sshServer.mjs";
import { SshLab } from "../support/sshLab.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

const rounds = 7;
const streams = 8;
const seconds = 20;
const intervalSeconds = 5;
const patienceMs = 60_000;

/** A server with eight GPUs. */
const tool = `case "$*" in *compute-apps*|*-L*) exit ;; esac
while :; do
  for i in 0 1 2 3 4 5 6 7; do echo "$i, 71, 40960, 81559, 61, 420.5, NVIDIA H100"; done
  case "$*" in *" -l "*) sleep ${intervalSeconds} ;; *) exit ;; esac
done`;

/** Watching GPUs over the user's `ssh`, with a server on this machine, so that its own time counts, too. */
export const benchmark: Benchmark = {
  title: "Watching the GPUs of servers over SSH",
  async run() {
    const packages = await ensureSshServer().catch((error: unknown) => String(error));
    if (!existsSync(packages)) {
      console.log(`Left out because there is no SSH server: ${packages}`);
      return [];
    }
    const lab = await SshLab.openFor(packages);
    try {
      lab.standIn("nvidia-smi", tool);
      return [
        ...(await firstValue(lab, "over a new connection", 4)),
        ...(await overMaster(lab, () => firstValue(lab, "over an existing connection", 2))),
        ...(await manyStreams(lab)),
      ];
    } finally {
      await lab.close();
    }
  },
};

async function firstValue(lab: SshLab, how: string, mostSeconds: number): Promise<readonly BenchmarkRow[]> {
  const times = { plain: [] as number[], value: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.plain.push(await timed(() => runTrue(lab)));
    times.value.push(await timed(async () => (await watch(lab)).stop()));
  }
  const [plain, value] = [median(times.plain), median(times.value)];
  return [
    { name: `ssh host true, ${how}`, value: plain, unit: "ms" },
    {
      ...{ name: `first values, ${how}`, value, unit: "ms", ratio: value / plain, ratioTo: "ssh host true" },
      ...{ target: `< ${mostSeconds} s`, failAbove: 60 },
    },
  ];
}

/** Rejects if the program doesn't end: a connection that others share outlives it, and would keep its output open. */
async function runTrue(lab: SshLab): Promise<void> {
  const { host, user, port } = lab.target;
  const args = ["-o", "BatchMode=yes", "-p", String(port), "-l", user ?? "", host, "true"];
  const child = spawn(lab.program, args, { stdio: "ignore", timeout: patienceMs });
  const [code] = (await once(child, "exit")) as readonly unknown[];
  if (code !== 0) throw new Error(`ssh ended with ${String(code)}.`);
}

/** A connection that has reported its first values. */
function watch(lab: SshLab): Promise<GpuConnection> {
  return new Promise((resolve, reject) => {
    const connection = new GpuConnection({
      ...{ program: lab.program, args: sshArguments(lab), intervalSeconds, patienceMs, mode: "stream" },
      onFrame: () => resolve(connection),
      onEnd: (problem, _tool, errors) => reject(new Error(`${String(problem)}: ${errors}`)),
    });
  });
}

/** While another process has a connection that others may share. */
async function overMaster<T>(lab: SshLab, work: () => Promise<T>): Promise<T> {
  const socket = join(lab.clientFolder, "master");
  appendFileSync(join(lab.clientFolder, "config"), `Match all\n  ControlPath "${socket}"\n`);
  const { host, user, port } = lab.target;
  const args = ["-M", "-N", "-o", "BatchMode=yes", "-p", String(port), "-l", user ?? "", host];
  const master = spawn(lab.program, args, { stdio: "ignore" });
  try {
    for (const since = Date.now(); !existsSync(socket); await delay(20))
      if (Date.now() - since > patienceMs) throw new Error("There is no connection to share.");
    return await work();
  } finally {
    master.kill();
    await once(master, "exit");
  }
}

/** What the processes of several connections use here. Those of the server aren't counted. */
async function manyStreams(lab: SshLab): Promise<readonly BenchmarkRow[]> {
  const connections = await Promise.all(Array.from({ length: streams }, () => watch(lab)));
  try {
    const before = [process.cpuUsage(), childUse()] as const;
    await delay(seconds * 1_000);
    const [own, children] = [process.cpuUsage(before[0]), childUse()];
    const cpu = (own.user + own.system) / 1_000 + children.cpuMs - before[1].cpuMs;
    return [
      {
        ...{ name: `CPU of ${streams} streams in a minute`, value: (cpu * 60) / seconds, unit: "ms CPU" },
        ...{ target: "< 600", failAbove: 3_000 },
      },
      {
        ...{ name: `memory of the processes of ${streams} streams`, value: children.mb, unit: "MB" },
        ...{ target: "< 100", failAbove: 300 },
      },
    ];
  } finally {
    for (const connection of connections) connection.stop();
  }
}

/** CPU time and memory of the `ssh` processes that this one has started. Shared memory counts for each of them. */
function childUse(): { readonly cpuMs: number; readonly mb: number } {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
  const uses = children.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
    // After the state: user and system time in hundredths of a second, and resident pages of 4 KiB.
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, mb: Number(fields[21]) / 256 };
  });
  const sum = (of: "cpuMs" | "mb"): number => uses.reduce((total, use) => total + use[of], 0);
  return { cpuMs: sum("cpuMs"), mb: sum("mb") };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? NaN;
}
