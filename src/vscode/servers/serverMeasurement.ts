import { sshArguments } from "../../core/servers/connect/sshSession.ts";
import type { RemotePlace } from "../../core/servers/connect/sshSession.ts";
import { gpuProblems } from "../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem, GpuWatchState } from "../../core/servers/gpu/gpuWatchState.ts";
import { UseTracker, isWorthKeeping, keptUse } from "../../core/servers/gpu/serverUse.ts";
import type { UsePoint, UseReading } from "../../core/servers/gpu/serverUse.ts";
import { GpuConnection } from "../../processes/servers/gpuConnection.ts";
import { findSsh } from "../../processes/servers/sshRoute.ts";

/** The tool starts slowly on machines with many GPUs, after up to ten seconds for the connection. */
const patienceMs = 30_000;
/** Milliseconds between two measurements of a server. */
const intervalMs = 5_000;

/** How a measurement ended. */
export interface MeasurementEnd {
  /** Undefined if the server was measured once, as intended. */
  readonly problem: GpuProblem | undefined;
  /** What `ssh` and the server's shell reported. */
  readonly errors: string;
  /** Milliseconds until the next measurement, if the server is measured only once. */
  readonly everyMs: number | undefined;
}

interface MeasurementPorts {
  /** How the server is reached; undefined if that isn't known. */
  place(): Promise<RemotePlace | undefined>;
  /** Whether it is certain that the server is running. */
  isRunning(): boolean;
  /** Whether a job or a transfer of the user runs there. */
  isWorking(): boolean;
  /** What was measured after a time, before a restart or by another window; the earliest first. */
  read(after: number): Promise<readonly UsePoint[]>;
  note(point: UsePoint): Promise<void>;
  onChange(): void;
  onEnd(end: MeasurementEnd): void;
}

const nothing: GpuWatchState = {
  ...{ samples: [], lost: [], measuredAt: undefined, problem: undefined, intervalMs },
};

/** The GPUs of one server over one connection at a time, and what follows from the measurements of a day. */
export class ServerMeasurement {
  readonly #ports: MeasurementPorts;
  readonly #restored: Promise<unknown>;
  readonly #points: UsePoint[] = [];
  #state = nothing;
  #use = new UseTracker();
  #connectedAt = 0;
  /** Whether the tool can't be left running on the server. */
  #mustCall = false;
  /** Identifies the present connection, also while it is prepared. */
  #attempt: symbol | undefined;
  #connection: GpuConnection | undefined;

  constructor(ports: MeasurementPorts) {
    this.#ports = ports;
    this.#restored = this.#adopt();
  }

  get state(): GpuWatchState {
    return this.#state;
  }

  get use(): UseTracker {
    return this.#use;
  }

  /** What was measured during the last day, the earliest first. */
  get points(): readonly UsePoint[] {
    return this.#points;
  }

  /** When it was last connected, in milliseconds since 1970. */
  get connectedAt(): number {
    return this.#connectedAt;
  }

  get isConnected(): boolean {
    return this.#attempt !== undefined;
  }

  /** What was measured until now says nothing about the server anymore, for example because it was stopped. */
  reset(): void {
    this.stop();
    this.#state = nothing;
    this.#use = new UseTracker();
    this.#ports.onChange();
  }

  /** Ends the process here and the tool on the server. */
  stop(): void {
    this.#attempt = undefined;
    this.#connection?.stop();
    this.#connection = undefined;
  }

  /** @param everyMs Milliseconds until the next measurement, if the server is measured only once. */
  async connect(everyMs?: number): Promise<void> {
    this.stop();
    const { problem: before } = this.#state;
    // What the user has to do is shown until it was done.
    const problem = before !== undefined && gpuProblems[before].retries === "later" ? before : undefined;
    this.#state = { ...this.#state, intervalMs, problem };
    const attempt = Symbol();
    this.#attempt = attempt;
    this.#connectedAt = Date.now();
    await this.#restored;
    await this.#adopt(everyMs);
    // One window is enough. A measurement takes a while itself.
    const isDone = everyMs !== undefined && (this.#points.at(-1)?.at ?? 0) > Date.now() - 0.9 * everyMs;
    const place = isDone ? undefined : await this.#ports.place();
    if (this.#attempt !== attempt) return;
    if (place === undefined) return this.stop();
    const program = findSsh();
    if (program === undefined) return this.#ended("noSsh", everyMs);
    const isOnce = everyMs !== undefined;
    let reading: UseReading | undefined;
    this.#connection = new GpuConnection({
      ...{ program, args: sshArguments(place), intervalSeconds: intervalMs / 1_000, patienceMs },
      mode: isOnce ? "once" : this.#mustCall ? "calls" : "stream",
      onCalls: () => {
        this.#mustCall = true;
      },
      onFrame: ({ everyMs: pauseMs, ...values }) => {
        const slower = Math.max(intervalMs, pauseMs ?? 0);
        const at = Date.now();
        this.#state = { ...this.#state, ...values, problem: undefined, intervalMs: slower, measuredAt: at };
        reading = { at, ...values, isWorking: this.#ports.isWorking() };
        // The last frame of a single measurement has everything.
        if (!isOnce) this.#use.add(reading);
        this.#changed();
      },
      onEnd: (problem, tool, errors) => {
        if (isOnce && reading !== undefined) this.#use.add(reading, everyMs);
        this.#ended(problem ?? (isOnce ? undefined : "ended"), everyMs, tool, errors);
      },
    });
  }

  #ended(problem: GpuProblem | undefined, everyMs: number | undefined, tool?: string, errors = ""): void {
    this.stop();
    this.#state = { ...this.#state, problem, tool };
    if (problem === "unreachable" && this.#ports.isRunning()) this.#use.addFailure(Date.now(), everyMs);
    this.#ports.onEnd({ problem, errors, everyMs });
    this.#changed();
  }

  /** Takes what was measured before a restart or by another window. */
  async #adopt(everyMs = 0): Promise<void> {
    const after = this.#points.at(-1)?.at ?? Date.now() - keptUse.longestMs;
    // What can't be read is only missing.
    const points = await this.#ports.read(after).catch(() => []);
    const last = points.at(-1);
    if (last === undefined || last.at > Date.now()) return;
    this.#points.push(...points);
    this.#use.restore(last, everyMs);
    this.#ports.onChange();
  }

  /** Keeps what was measured. If it can't be stored, it is only missing after a restart. */
  #changed(): void {
    const { point } = this.#use;
    if (point !== undefined && isWorthKeeping(point, this.#points.at(-1))) {
      this.#points.push(point);
      while ((this.#points[0]?.at ?? Infinity) < point.at - keptUse.longestMs) this.#points.shift();
      void this.#ports.note(point).catch(() => undefined);
    }
    this.#ports.onChange();
  }
}
