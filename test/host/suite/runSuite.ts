import Mocha from "mocha";

/** Marks the line with the result among the output of the workbench. */
const resultMark = "HOST-SUITE-RESULT";

/** Runs inside the extension host: VS Code calls it and takes a rejection as failure. */
export async function runSuite(loadTests: () => void): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000, color: false, reporter: "spec" });
  mocha.suite.emit("pre-require", globalThis as unknown as Mocha.MochaGlobals, "suite", mocha);
  loadTests();
  const { passed, failed } = await new Promise<{ passed: number; failed: number }>((resolve) => {
    const runner = mocha.run((failures) => resolve({ passed: runner.stats?.passes ?? 0, failed: failures }));
  });
  console.log(`${resultMark} ${JSON.stringify({ passed, failed })}`);
  if (failed > 0) throw new Error(`${failed} tests failed.`);
  if (passed === 0) throw new Error("No test was run.");
}
