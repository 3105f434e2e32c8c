import { GpuStream } from "../../../../src/core/servers/gpu/gpuStream.ts";
import type { GpuFrame } from "../../../../src/core/servers/gpu/gpuStream.ts";
import { gpuSummary } from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import type { GpuWatchState } from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import { UseTracker } from "../../../../src/core/servers/gpu/serverUse.ts";

/** Reads what a server prints, in these chunks; the frames are those that are complete so far. */
export function readGpuStream(...chunks: readonly string[]): {
  readonly frames: readonly GpuFrame[];
  readonly stream: GpuStream;
} {
  const frames: GpuFrame[] = [];
  const stream = new GpuStream((frame) => frames.push(frame));
  for (const chunk of chunks) stream.read(chunk);
  return { frames, stream };
}

/** A line of nvidia-smi for one GPU, with this many MiB of memory in use. */
export function gpuRow(index: number, used = 71_000): string {
  return `${index}, ${95 - index}, ${used}, 81559, ${60 + index}, 650.00, NVIDIA H100 80GB HBM3\n`;
}

/** The state of a connection that received this frame at 1,000,000 ms. */
export function gpuStateOf(frame: GpuFrame, parts: Partial<GpuWatchState> = {}): GpuWatchState {
  return { ...frame, ...{ measuredAt: 1_000_000, intervalMs: 5_000, problem: undefined }, ...parts };
}

/** What the row of the server shows, which was measured once. */
export function gpuSummaryOf(state: GpuWatchState, now: number): string {
  const use = new UseTracker();
  if (state.measuredAt !== undefined) use.add({ at: state.measuredAt, samples: state.samples });
  return gpuSummary(state, use.use(now), now);
}
