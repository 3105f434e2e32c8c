import { readdirSync, statSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { countHostSuite, countMocha } from "./count.ts";
import type { Count } from "./count.ts";

export interface Stage {
  readonly name: string;
  /** `grep` selects the tests to run; empty means all. */
  command(grep: string): readonly string[];
  /** Parses the number of tests from the command's output. Without it, the command counts as one test. */
  readonly count?: (output: string) => Count | undefined;
  /** Whether it runs the output of `npm run build`. */
  readonly needsBuild?: boolean;
}

const e2eFolder = "test/e2e";
const endToEnd = ".e2e.ts";
/** Each part takes some minutes, also on a slow machine. */
const unitFolders = {
  patterns: "patterns,properties",
  decisions: "core,gateway,l10n,start,support",
  programs: "processes,localGateway",
  storage: "storage,vscode",
};

/** Tests of the core that start programs, or read very long texts. */
const slowDecisions: readonly string[] = [
  "test/core/account/secrets/findAllSecrets.test.ts",
  "test/core/panel/speech/spokenText.test.ts",
  "test/core/responses/setup/setups.test.ts",
  "test/core/servers/newFact.test.ts",
];

function mocha(
  files: string,
  timeoutMs: number,
  required: readonly string[] = [],
  ignored: readonly string[] = [],
): Stage["command"] {
  return (grep) => [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "node_modules/mocha/bin/mocha.js",
    ...["--no-color", "--timeout", String(timeoutMs)],
    ...required.flatMap((file) => ["--require", file]),
    ...ignored.flatMap((file) => ["--ignore", file]),
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

function unit(part: keyof typeof unitFolders): Stage {
  return {
    name: `unit ${part}`,
    command: mocha(`test/{${unitFolders[part]}}/**/*.test.ts`, 60_000, [
      "./test/support/unhandledRejections.ts",
    ]),
    count: countMocha,
  };
}

/** The decisions, without files and sockets: a loop while writing code, of some seconds. Not part of a whole run. */
export const fast: Stage = {
  name: "fast",
  command: mocha("test/{core,l10n}/**/*.test.ts", 60_000, [], slowDecisions),
  count: countMocha,
};

const page: Stage = {
  name: "page",
  command: mocha("test/webview/**/*.test.ts", 60_000),
  count: countMocha,
};

/**
 * A file with browser tests, which opens its own windows, so that two files don't interfere with each other, or a folder
 * with files that share a window.
 */
function e2e(name: string): Stage {
  const isFolder = !name.endsWith(endToEnd);
  return {
    name: `e2e ${isFolder ? name : name.slice(0, -endToEnd.length)}`,
    command: mocha(`${e2eFolder}/${isFolder ? `${name}/*${endToEnd}` : name}`, 300_000),
    count: countMocha,
    needsBuild: true,
  };
}

/**
 * Stages in the same lane run one after the other, and the lanes in parallel: three even on a machine with two cores,
 * because a window that waits for something uses none.
 */
export const lanes: readonly (readonly Stage[])[] = [
  [unit("decisions"), hostSuite("oldest")],
  [page, hostSuite("newest")],
  [types, lint, unit("patterns")],
  ...Array.from({ length: countFurtherLanes() }, () => []),
];

/**
 * Stages that run beside the lanes from the start, because they wait for other processes and for time to pass: they use
 * a seventh of a core.
 */
export const waiting: readonly Stage[] = [unit("programs"), unit("storage")];

/**
 * Stages that lanes run after their own: whichever lane is free first takes the next one. Short stages come last, so
 * that all lanes end at about the same time.
 */
export const shared: readonly Stage[] = listEndToEnd();

/** Names for groups of stages. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  unit: [...lanes.flat(), ...waiting].map(({ name }) => name).filter((name) => name.startsWith("unit ")),
  host: ["oldest", "newest"],
  e2e: listEndToEnd().map(({ name }) => name),
};

/**
 * The largest first: it usually takes longest, and the lanes end at the same time if long stages don't come last.
 */
function listEndToEnd(): readonly Stage[] {
  const folder = new URL(`../../${e2eFolder}/`, import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(endToEnd),
  );
  const sizes = new Map<string, number>();
  for (const file of files) {
    const [name = file] = file.split(/[\\/]/);
    sizes.set(name, (sizes.get(name) ?? 0) + statSync(new URL(file, folder)).size);
  }
  return [...sizes].toSorted(([, left], [, right]) => right - left).map(([name]) => e2e(name));
}

/** One for each core beyond three, as far as there is memory: a server with its browser takes less than 2 GB. */
function countFurtherLanes(): number {
  const lanesInMemory = Math.floor(totalmem() / 2_000_000_000);
  return Math.max(0, Math.min(availableParallelism(), lanesInMemory) - 3);
}
