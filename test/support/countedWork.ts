import assert from "node:assert/strict";
import { Session } from "node:inspector";
import type { Profiler } from "node:inspector";
import { setFlagsFromString } from "node:v8";

// Code that is thrown away and compiled once more would have other counters than before.
setFlagsFromString("--no-flush-bytecode");

/** Linear work doubles with its input; n log n comes to 2.2, quadratic work to 4. */
const mostTimes = 2.6;

/**
 * Refuses work that grows faster than its input, whatever else the machine does: counted are the blocks of code that
 * run and the characters that searches and regular expressions pass.
 * @param size Of the smaller input; the larger one has twice that.
 */
export function assertLinearWork<Input>(
  size: number,
  create: (size: number) => Input,
  run: (input: Input) => void,
): void {
  const session = new Session();
  session.connect();
  try {
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    // Once before: what is set up only once is not counted, and all code has its counters.
    countWork(session, create(size), run);
    const few = countWork(session, create(size), run);
    const many = countWork(session, create(size * 2), run);
    assert.ok(
      many < few * mostTimes,
      `Twice the input took ${(many / few).toFixed(1)} times the work (${few} and ${many} steps).`,
    );
  } finally {
    session.disconnect();
  }
}

/** Without a pause between its steps: what else the process has to do is not counted. */
function countWork<Input>(session: Session, input: Input, run: (input: Input) => void): number {
  takeCounts(session);
  const passed = countPassed(() => run(input));
  return takeCounts(session) + passed;
}

/** Blocks of code that ran since it was asked last. The inspector of this thread answers at once. */
function takeCounts(session: Session): number {
  let coverage: readonly Profiler.ScriptCoverage[] | undefined;
  session.post("Profiler.takePreciseCoverage", (_error, { result }) => (coverage = result));
  assert.ok(coverage !== undefined);
  return coverage
    .filter(({ url }) => url.startsWith("file:"))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((sum, { count }) => sum + count, 0);
}

/** Characters that regular expressions and searches go over while `run` does. */
function countPassed(run: () => void): number {
  let passed = 0;
  const { exec } = RegExp.prototype;
  const { indexOf } = String.prototype;
  // The other methods of strings and expressions call a replaced `exec`.
  RegExp.prototype.exec = function (text) {
    const start = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    const isAnchored = this.sticky || (this.source.startsWith("^") && !this.multiline);
    const end = match === null ? (isAnchored ? start + 1 : text.length) : match.index + match[0].length;
    passed += Math.max(1, end - start);
    return match;
  };
  String.prototype.indexOf = function (searched, position = 0) {
    const found = indexOf.call(this, searched, position);
    passed += Math.max(1, (found === -1 ? this.length : found) - position);
    return found;
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
    String.prototype.indexOf = indexOf;
  }
  return passed;
}
