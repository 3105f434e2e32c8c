import assert from "node:assert/strict";
import { Session } from "node:inspector";
import type { Profiler } from "node:inspector";
import { setFlagsFromString } from "node:v8";

// Code that is discarded and compiled again would have different counters than before.
setFlagsFromString("--no-flush-bytecode");

/** Linear work doubles with its input; n log n grows by a factor of 2.2, quadratic work by 4. */
const mostTimes = 2.6;

/**
 * Asserts that the work doesn't grow faster than its input, regardless of the machine's load: it counts the executed
 * blocks of code, and the characters scanned by searches and regular expressions.
 * @param size Size of the smaller input; the larger one is twice as big.
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
    // Runs once in advance, so that one-time setup isn't counted and all code has its counters.
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

/** Without a pause between its steps, so that the process's other work isn't counted. */
function countWork<Input>(session: Session, input: Input, run: (input: Input) => void): number {
  takeCounts(session);
  const passed = countPassed(() => run(input));
  return takeCounts(session) + passed;
}

/** Blocks of code that ran since the last call. The inspector of this thread responds synchronously. */
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

/** Characters that regular expressions and searches scan during `run`. */
function countPassed(run: () => void): number {
  let passed = 0;
  const { exec } = RegExp.prototype;
  const { indexOf, lastIndexOf } = String.prototype;
  // The other methods of strings and regular expressions call a replaced `exec`.
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
  String.prototype.lastIndexOf = function (searched, position) {
    const found = lastIndexOf.call(this, searched, position);
    passed += Math.max(1, Math.min(position ?? this.length, this.length) - Math.max(found, 0));
    return found;
  };
  try {
    run();
  } finally {
    RegExp.prototype.exec = exec;
    String.prototype.indexOf = indexOf;
    String.prototype.lastIndexOf = lastIndexOf;
  }
  return passed;
}
