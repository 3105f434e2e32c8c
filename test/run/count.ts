/** How many tests a stage has run. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads mocha's summary; undefined if there is none. */
export function countMocha(output: string): Count | undefined {
  const passed = numberBefore("passing", output);
  if (passed === undefined) return undefined;
  return {
    passed,
    failed: numberBefore("failing", output) ?? 0,
    skipped: numberBefore("pending", output) ?? 0,
  };
}

/** Reads the line that the suite inside VS Code ends with; undefined if it never came so far. */
export function countHostSuite(output: string): Count | undefined {
  const line = /HOST-SUITE-RESULT \{"passed":(\d+),"failed":(\d+)\}/.exec(output);
  return line === null ? undefined : { passed: Number(line[1]), failed: Number(line[2]), skipped: 0 };
}

/**
 * A command that ends well is one test. One that counts its tests has failed as well when it ended badly, or ran
 * none: silence is no success. With `mayBeEmpty` (a filter is at work) none is fine.
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

/** The last one: a test may print what looks like a summary, but the summary comes last. */
function numberBefore(word: string, output: string): number | undefined {
  const found = [...output.matchAll(new RegExp(`^ {2}(\\d+) ${word}`, "gm"))].at(-1)?.[1];
  return found === undefined ? undefined : Number(found);
}
