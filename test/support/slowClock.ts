/** Makes each step seem to take longer than a slice may: a fast machine would do everything in the first slice. */
export async function withSlowClock<Result>(run: () => Promise<Result>): Promise<Result> {
  const now = performance.now.bind(performance);
  let addedMs = 0;
  performance.now = () => now() + (addedMs += 10);
  return run().finally(() => (performance.now = now));
}
