/** How many tests a stage has run. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Parses mocha's summary; undefined if there is none. */
export function countMocha(output: string): Count | undefined {
  const passed = numberBefore("passing", output);
  if (passed === undefined) return undefined;
  return {
    passed,
    failed: numberBefore("failing", output) ?? 0,
    skipped: numberBefore("pending", output) ?? 0,
  };
}

/** Parses the last line of each suite inside VS Code; undefined if none got that far. */
export function countHostSuite(output: string): Count | undefined {
  const lines = [...output.matchAll(/HOST-SUITE-RESULT \{"passed":(\d+),"failed":(\d+)\}/g)];
  const counts = lines.map(([, passed, failed]) => ({
    passed: Number(passed),
    failed: Number(failed),
    skipped: 0,
  }));
  return counts.length === 0 ? undefined : counts.reduce(add);
}

/**
 * A command that succeeds counts as one test. One that counts its tests has also failed if its exit code says so or if
 * it ran none: silence isn't success. With `mayBeEmpty` (if a filter is used), running none is fine.
 */
export function judge(code: number, counted: Count | undefined, counts: boolean, mayBeEmpty: boolean): Count {
  const none: Count = { passed: 0, failed: 0, skipped: 0 };
  if (!counts) return code === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 };
  const count = counted ?? none;
  const isEmpty = count.passed === 0 && !(mayBeEmpty && counted !== undefined);
  const hasFailedSilently = count.failed === 0 && (code !== 0 || isEmpty);
  return hasFailedSilently ? { ...count, failed: 1 } : count;
}

export function add(a: Count, b: Count): Count {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** The last match, because a test may print something that looks like a summary, but the real summary comes last. */
function numberBefore(word: string, output: string): number | undefined {
  const found = [...output.matchAll(new RegExp(`^ {2}(\\d+) ${word}`, "gm"))].at(-1)?.[1];
  return found === undefined ? undefined : Number(found);
}
