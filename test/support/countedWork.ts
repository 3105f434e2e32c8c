import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";

/** Linear work doubles with its input; n log n comes to 2.2, quadratic work to 4. */
const mostTimes = 2.6;

/**
 * Refuses work that grows faster than its input, whatever else the machine does: counted are the blocks of code that
 * run and the characters that searches and regular expressions pass.
 * @param size Of the smaller input; the larger one has twice that.
 */
export async function assertLinearWork<Input>(
  size: number,
  create: (size: number) => Input,
  run: (input: Input) => void,
): Promise<void> {
  // Once before: what is set up only once is not counted.
  run(create(size));
  const few = await countWork(create(size), run);
  const many = await countWork(create(size * 2), run);
  assert.ok(
    many < few * mostTimes,
    `Twice the input took ${(many / few).toFixed(1)} times the work (${few} and ${many} steps).`,
  );
}

async function countWork<Input>(input: Input, run: (input: Input) => void): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    const passed = countPassed(() => run(input));
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const blocks = result
      .filter(({ url }) => url.startsWith("file:"))
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
    return blocks + passed;
  } finally {
    session.disconnect();
  }
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
