// Lines about what takes long. They go to stderr, so that what a command prints stays its own.

/** Runs a step that may take long; says when it begins and what it took. */
export async function step(name, run) {
  const start = Date.now();
  process.stderr.write(`${name} …\n`);
  const result = await run();
  process.stderr.write(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}
