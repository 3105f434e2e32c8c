import assert from "node:assert/strict";

/** The factor by which the input grows between the two measurements. */
const factor = 8;
/** Linear work takes 8 times as long, quadratic work 64 times. A busy machine can't make one look like the other. */
const mostTimes = 28;
/** Measurements below this many milliseconds are meaningless. */
const noise = 4;

/** CPU time of this thread in milliseconds. Unlike the time of day, it doesn't advance while other programs run. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Asserts that the work doesn't grow faster than its input.
 * @param size Size of the smaller input, chosen so that it takes some milliseconds.
 */
export function assertLinear<Input>(
  size: number,
  create: (size: number) => Input,
  run: (input: Input) => void,
): void {
  const small = create(size);
  const large = create(size * factor);
  run(small);
  const least = (input: Input): number =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const start = usedMs();
        run(input);
        return usedMs() - start;
      }),
    );
  const [few, many] = [least(small), least(large)];
  assert.ok(
    many < Math.max(few, noise) * mostTimes,
    `${factor} times the input took ${(many / few).toFixed(0)} times as long (${few.toFixed(1)} and ${many.toFixed(1)} ms)`,
  );
}
