import type { CDPSession } from "playwright-core";

/** CPU time of the page's main thread, which isn't affected by other processes on the machine. In milliseconds. */
export interface CpuTimes {
  readonly total: number;
  readonly worstTask: number;
  /** The number of tasks over 50 ms. */
  readonly longTasks: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Records every task of the renderer's main thread until the returned function is called. */
export async function startCpuTrace(session: CDPSession): Promise<() => Promise<CpuTimes>> {
  const events: TraceEvent[] = [];
  const onData = ({ value }: { readonly value: unknown }): void => {
    for (const event of value as readonly TraceEvent[]) events.push(event);
  };
  session.on("Tracing.dataCollected", onData);
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel"] },
  });
  return async () => {
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    session.off("Tracing.dataCollected", onData);
    return sumUp(events);
  };
}

/** The busiest renderer is the page's. */
function sumUp(events: readonly TraceEvent[]): CpuTimes {
  const isMain = (event: TraceEvent): boolean =>
    event.name === "thread_name" && event.args?.name === "CrRendererMain";
  const times = events.filter(isMain).map(({ pid, tid }): CpuTimes => {
    const tasks = events.filter(
      (event) => event.pid === pid && event.tid === tid && event.name === "ThreadControllerImpl::RunTask",
    );
    const durations = tasks.map((task) => (task.tdur ?? 0) / 1000);
    return {
      total: durations.reduce((sum, duration) => sum + duration, 0),
      longTasks: durations.filter((duration) => duration > 50).length,
      worstTask: durations.reduce((worst, duration) => Math.max(worst, duration), 0),
    };
  });
  return times.toSorted((a, b) => b.total - a.total)[0] ?? { total: NaN, worstTask: NaN, longTasks: NaN };
}
