// Progress messages for slow steps. They go to stderr, so that a command's own output isn't affected.

/** Runs a step that may take long, and prints when it starts and how long it took. */
export async function step(name, run) {
  const start = Date.now();
  process.stderr.write(`${name} …\n`);
  const result = await run();
  process.stderr.write(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}
