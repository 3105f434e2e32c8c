import type { CDPSession } from "playwright-core";

/** CPU time of the page's main thread, which isn't affected by other processes on the machine. In milliseconds. */
export interface CpuTimes {
  readonly total: number;
  readonly worstTask: number;
  /** The number of tasks over 50 ms. */
  readonly longTasks: number;
  /** The 95th percentile of the tasks that produce a frame: script, style, layout and paint. */
  readonly p95Frame: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Wall time and CPU time in microseconds. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly src_func?: string };
}

/** The function of the browser that starts these tasks. */
const frameStarter = "ScheduledActionSendBeginMainFrame";
/** Marks the renderer of the session's page in the trace. */
const mark = "cpu-trace";

/**
 * Records every task of a renderer's main thread until the returned function is called: of the session's page (frames
 * of other origins, such as the one that draws diagrams, have renderers of their own), or of the busiest one.
 */
export async function startCpuTrace(
  session: CDPSession,
  which: "page" | "busiest" = "page",
): Promise<() => Promise<CpuTimes>> {
  const events: TraceEvent[] = [];
  const onData = ({ value }: { readonly value: unknown }): void => {
    for (const event of value as readonly TraceEvent[]) events.push(event);
  };
  session.on("Tracing.dataCollected", onData);
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "blink.user_timing"] },
  });
  await session.send("Runtime.evaluate", { expression: `performance.mark("${mark}")` });
  return async () => {
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    session.off("Tracing.dataCollected", onData);
    const marked = events.find(({ name }) => name === mark)?.pid;
    return sumUp(which === "page" ? events.filter(({ pid }) => pid === marked) : events);
  };
}

/** The times of the busiest renderer. */
function sumUp(events: readonly TraceEvent[]): CpuTimes {
  const isMain = (event: TraceEvent): boolean =>
    event.name === "thread_name" && event.args?.name === "CrRendererMain";
  const times = events.filter(isMain).map(({ pid, tid }): CpuTimes => {
    const tasks = events.filter(
      (event) => event.pid === pid && event.tid === tid && event.name === "ThreadControllerImpl::RunTask",
    );
    const durations = tasks.map(cpuOf);
    const frames = tasks
      .filter(({ args }) => args?.src_func === frameStarter)
      .map(cpuOf)
      .toSorted((a, b) => a - b);
    return {
      total: tasks.reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0),
      longTasks: durations.filter((duration) => duration > 50).length,
      worstTask: durations.reduce((worst, duration) => Math.max(worst, duration), 0),
      p95Frame: frames[Math.floor(frames.length * 0.95)] ?? NaN,
    };
  });
  const [busiest] = times.toSorted((a, b) => b.total - a.total);
  return busiest ?? { total: NaN, worstTask: NaN, longTasks: NaN, p95Frame: NaN };
}

/**
 * The CPU time of one task in milliseconds. On some machines, the clock of a thread ticks every 10 ms, so that a short
 * task seems to have used more CPU time than has passed. Such errors cancel out only in the total.
 */
function cpuOf({ dur = 0, tdur = 0 }: TraceEvent): number {
  return Math.min(dur, tdur) / 1000;
}
