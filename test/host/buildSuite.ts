import { globSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { HostVersion } from "./hostVersion.ts";

/** `suite` runs in a folder of the machine, `virtual` in one that only an extension provides. */
export type HostSuite = "suite" | "virtual";

/**
 * Bundles every `*.hosttest.ts` and VS Code's test entry point into one file, which the extension host of any supported
 * version can load. Returns its path, which differs for each version because both may run at the same time.
 */
export async function buildSuite(root: string, version: HostVersion, suite: HostSuite): Promise<string> {
  const outfile = join(root, "out", "host-suite", `${suite}-${version}.cjs`);
  const tests = globSync(`test/host/${suite}/**/*.hosttest.ts`, { cwd: root }).toSorted();
  await build({
    stdin: {
      contents: `
        import { runSuite } from "./test/host/suite/runSuite.ts";
        export const run = () => runSuite(() => { ${tests.map((file) => `require("./${file}");`).join(" ")} });`,
      resolveDir: root,
      loader: "ts",
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
  return outfile;
}
