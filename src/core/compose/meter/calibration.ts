/** Below this an estimate says more about the template around the text than about the text. */
const leastEstimate = 50;
const lowest = 0.4;
const highest = 3;

/** What was estimated before, and what the service then counted. */
export interface CountSample {
  readonly estimated: number;
  readonly reported: number;
}

/** By what estimates are to be multiplied so that they meet what the service counts; 1 where nothing is known. */
export function calibrationFactor(samples: readonly CountSample[]): number {
  const telling = samples.filter(({ estimated, reported }) => estimated >= leastEstimate && reported > 0);
  const estimated = telling.reduce((sum, sample) => sum + sample.estimated, 0);
  const reported = telling.reduce((sum, sample) => sum + sample.reported, 0);
  if (estimated === 0) return 1;
  return Math.min(highest, Math.max(lowest, reported / estimated));
}
