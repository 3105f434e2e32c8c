/** Marks the line with the result in the workbench's output. */
const resultMark = "HOST-SUITE-RESULT";

/** Runs inside the extension host: VS Code calls it and treats a rejection as a failure. */
export async function runSuite(loadTests: () => void): Promise<void> {
  // Imported dynamically, because a bundled `require` of mocha returns a different shape in each version of Node.
  const { default: Mocha } = await import("mocha");
  const mocha = new Mocha({ ui: "bdd", timeout: 120_000, color: false, reporter: "spec" });
  mocha.suite.emit("pre-require", globalThis as unknown as Mocha.MochaGlobals, "suite", mocha);
  const { HOST_SUITE_GREP = "", HOST_SUITE_ORDER = "" } = process.env;
  if (HOST_SUITE_GREP !== "") mocha.grep(HOST_SUITE_GREP);
  loadTests();
  if (HOST_SUITE_ORDER === "reversed") reverseTests(mocha.suite);
  const { passed, failed } = await new Promise<{ passed: number; failed: number }>((resolve) => {
    const runner = mocha.run((failures) => resolve({ passed: runner.stats?.passes ?? 0, failed: failures }));
  });
  console.log(`${resultMark} ${JSON.stringify({ passed, failed })}`);
  if (failed > 0) throw new Error(`${failed} tests failed.`);
  if (passed === 0 && HOST_SUITE_GREP === "") throw new Error("No test was run.");
}

/** A test that relies on those before it fails in this order. */
function reverseTests(suite: Mocha.Suite): void {
  suite.tests.reverse();
  for (const inner of suite.suites) reverseTests(inner);
}
