/**
 * Longer than any operation takes on a slow machine, and shorter than the time limit of a test. Only a failing test
 * waits this long.
 */
const limitMs = 50_000;
const intervalMs = 25;

/**
 * Repeats a check until it passes and returns its result, because what it reads may change only some time after an
 * action. The check must not change anything itself. If it never passes, its last error is thrown.
 */
export async function eventually<T>(check: () => Promise<T> | T): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
