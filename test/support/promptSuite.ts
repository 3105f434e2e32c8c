import { createHash } from "node:crypto";
import { parseSuite } from "../../src/core/suites/parseSuite.ts";
import { cellsOf } from "../../src/core/suites/suite.ts";
import type { CellContext, SuiteCell } from "../../src/core/suites/suite.ts";
import { readYaml } from "../../src/workers/suites/readYaml.ts";

/** The cells of a suite without files. Throws if the suite has a mistake. */
export function suiteCells(source: string, context: Partial<CellContext> = {}): readonly SuiteCell[] {
  const yaml = readYaml(source);
  if ("problem" in yaml) throw new Error(yaml.problem.message);
  const { suite, problems } = parseSuite(yaml.root);
  if (problems[0] !== undefined) throw new Error(problems[0].message);
  const whole: CellContext = {
    files: {
      part: () => ({ type: "text", text: "" }),
      schema: () => true,
    },
    target: "test",
    accepted: () => undefined,
    priceOf: () => undefined,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    ...context,
  };
  return suite.cases.flatMap((test) => cellsOf(test, test.models, test.presets, whole));
}
