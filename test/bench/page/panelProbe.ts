/** Measurements inside the page for one response. Times are in milliseconds. */
export interface Seen {
  readonly frames: number;
  /** Between two frames. */
  readonly p95Interval: number;
  /** From the start of a frame until it is painted: script, style, layout and paint. */
  readonly p95Cost: number;
  readonly longTasks: number;
  readonly worstTask: number;
  /** Cost per unit of text during the last tenth of the response, divided by that during the first tenth. */
  readonly growth: number;
  /** From the arrival of the last delta until it was painted. */
  readonly lastDelay: number;
  readonly p95Delay: number;
  /** From the arrival of a delta until the next frame began, in half of the cases. */
  readonly medianWait: number;
  readonly length: number;
}

declare global {
  var finishPanelProbe: () => Seen;
}

/** Runs inside the chat page: observes its frames from now on. */
export function startPanelProbe(): void {
  const tasks: number[] = [];
  const frames: { interval: number; cost: number; length: number }[] = [];
  const delays: number[] = [];
  const waits: number[] = [];
  let length = 0;
  /** When the deltas arrived that haven't been painted. */
  const arrivals: number[] = [];
  let isShown = false;
  let last = performance.now();
  let isRunning = true;
  const observer = new PerformanceObserver((list) => {
    // Tasks of the surrounding workbench have other names.
    for (const { name, duration } of list.getEntries()) if (name.startsWith("self")) tasks.push(duration);
  });
  observer.observe({ type: "longtask" });
  window.addEventListener("message", ({ data }: MessageEvent<{ type?: string; text?: string }>) => {
    if (data?.type !== "delta") return;
    length += data.text?.length ?? 0;
    arrivals.push(performance.now());
    arrivedSince += 1;
  });
  const mutations = new MutationObserver(() => {
    isShown = true;
  });
  mutations.observe(document.body, { childList: true, characterData: true, subtree: true });
  const channel = new MessageChannel();
  let begin = 0;
  /** The number of deltas that had arrived when the frame began. */
  let arrived = 0;
  /** The number of deltas that have arrived since then. */
  let arrivedSince = 0;
  // A message sent during a frame arrives when the frame has been laid out and painted.
  channel.port1.onmessage = () => {
    const now = performance.now();
    frames.push({ interval: begin - last, cost: now - begin, length });
    last = begin;
    if (!isShown) return;
    for (const arrivedAt of arrivals.splice(0, arrived)) delays.push(now - arrivedAt);
    isShown = false;
  };
  const onFrame = (): void => {
    begin = performance.now();
    waits.push(...arrivals.slice(arrivals.length - arrivedSince).map((arrivedAt) => begin - arrivedAt));
    arrivedSince = 0;
    arrived = arrivals.length;
    channel.port2.postMessage(undefined);
    if (isRunning) requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
  const quantile = (values: readonly number[], part: number): number =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
  const p95 = (values: readonly number[]): number => quantile(values, 0.95);
  globalThis.finishPanelProbe = () => {
    isRunning = false;
    const streaming = frames.filter((frame) => frame.length > 0);
    const costBetween = (from: number, to: number): number =>
      streaming
        .filter((frame) => frame.length > from * length && frame.length < to * length)
        .reduce((sum, frame) => sum + frame.cost, 0);
    return {
      frames: streaming.length,
      p95Interval: p95(streaming.map((frame) => frame.interval)),
      p95Cost: p95(streaming.map((frame) => frame.cost)),
      longTasks: tasks.length,
      worstTask: Math.max(0, ...tasks),
      growth: costBetween(0.9, 1) / costBetween(0, 0.1),
      lastDelay: delays.at(-1) ?? Number.NaN,
      p95Delay: p95(delays),
      medianWait: quantile(waits, 0.5),
      length,
    };
  };
}
