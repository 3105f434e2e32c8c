import { readdirSync, statSync } from "node:fs";
import { countHostSuite, countMocha } from "./count.ts";
import type { Count } from "./count.ts";

export interface Stage {
  readonly name: string;
  /** `grep` names the tests to run; empty means all. */
  command(grep: string): readonly string[];
  /** Reads the count of tests out of what the command printed; without it the command is one test. */
  readonly count?: (output: string) => Count | undefined;
  /** Whether it runs what `npm run build` makes. */
  readonly needsBuild?: boolean;
}

const e2eFolder = "test/e2e";
const endToEnd = ".e2e.ts";
const unitFolders = "{patterns,core,gateway,storage,windows,workers,localGateway,vscode,l10n,support}";

function mocha(files: string, timeoutMs: number): Stage["command"] {
  return (grep) => [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "node_modules/mocha/bin/mocha.js",
    ...["--no-color", "--timeout", String(timeoutMs)],
    ...(grep === "" ? [] : ["--grep", grep]),
    files,
  ];
}

function hostSuite(version: "newest" | "oldest"): Stage {
  return {
    name: version,
    command: (grep) => [process.execPath, "test/host/runHostSuite.ts", version, grep],
    count: countHostSuite,
    needsBuild: true,
  };
}

const types: Stage = {
  name: "types",
  command: () => [process.execPath, "--disable-warning=ExperimentalWarning", "test/types/checkTypes.ts"],
};
const lint: Stage = { name: "lint", command: () => ["npm", "run", "--silent", "lint"] };
const unit: Stage = {
  name: "unit",
  command: mocha(`test/${unitFolders}/**/*.test.ts`, 60_000),
  count: countMocha,
};

const page: Stage = {
  name: "page",
  command: mocha("test/webview/**/*.test.ts", 60_000),
  count: countMocha,
};

/** A file of tests in the browser: it opens windows of its own, so that two of them don't meet. */
function e2e(file: string): Stage {
  return {
    name: `e2e ${file.slice(0, -endToEnd.length)}`,
    command: mocha(`${e2eFolder}/${file}`, 240_000),
    count: countMocha,
    needsBuild: true,
  };
}

/** What runs beside what: the machine has two cores. Inside a lane one stage follows the other. */
export const lanes: readonly (readonly Stage[])[] = [
  [types, lint, hostSuite("oldest")],
  [page, hostSuite("newest")],
];

/**
 * What a lane continues with once its own stages are done: whichever is free first takes the next. What is short comes
 * last, so that no lane ends long before the other.
 */
export const shared: readonly Stage[] = [...listEndToEnd(), unit];

/** Words that stand for several stages. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  host: ["oldest", "newest"],
  e2e: listEndToEnd().map(({ name }) => name),
};

/** The largest file first: it tends to take longest, and the lanes end together if long stages don't come last. */
function listEndToEnd(): readonly Stage[] {
  const folder = new URL(`../../${e2eFolder}/`, import.meta.url);
  const sizeOf = (name: string): number => statSync(new URL(name, folder)).size;
  return readdirSync(folder)
    .filter((name) => name.endsWith(endToEnd))
    .toSorted((left, right) => sizeOf(right) - sizeOf(left))
    .map(e2e);
}
