/** Blocks this thread: only for a few milliseconds in which nothing else could be done, or while VS Code ends. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
