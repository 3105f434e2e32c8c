import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type * as Recheck from "recheck";

const require = createRequire(import.meta.url);
// The native program is several times faster. If it isn't available for the platform, the same code runs as JavaScript.
process.env["RECHECK_BACKEND"] = hasNativeProgram() ? "native" : "pure";
/** A CommonJS module without named exports. */
const { check } = require("recheck") as typeof Recheck;

/** What is wrong with a pattern, or an empty string. Takes some milliseconds, or some seconds for a few patterns. */
export async function checkPattern(source: string, flags: string): Promise<string> {
  if (!isUnbounded(source)) return "";
  const result = await check(source, flags, {
    timeout: 60_000,
    // Measured in characters instead of milliseconds, so that the results are the same on a busy machine. The default
    // limits in milliseconds would be reached first there.
    incubationLimit: 5_000,
    incubationTimeout: 60_000,
    attackLimit: 200_000,
    attackTimeout: 60_000,
    maxAttackStringSize: 50_000,
    maxGeneStringSize: 1_200,
    maxInitialGenerationSize: 200,
    maxIteration: 3,
    randomSeed: 1,
  });
  if (result.status === "safe") return "";
  if (result.status === "unknown") return `too complex to be checked (${result.error.kind})`;
  return `${result.complexity.summary}, for example on ${result.attack.pattern}`;
}

function hasNativeProgram(): boolean {
  const system = { linux: "linux", darwin: "macos", win32: "windows" }[process.platform as string] ?? "";
  try {
    require.resolve(`recheck-${system}-${process.arch}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** A match of a pattern without `*`, `+` or `{n,}` has a bounded length, and so does the work at each position. */
function isUnbounded(source: string): boolean {
  return /[*+]|\{\d+,\}/.test(source);
}

/** Remembers the patterns that passed between runs, because checking all of them takes a minute. */
export class CheckedPatterns {
  readonly #file: string;
  readonly #fine: Set<string>;

  constructor(file: string) {
    this.#file = file;
    this.#fine = new Set(readLines(file));
  }

  async check(source: string, flags: string): Promise<string> {
    const key = createHash("sha256").update(`${flags}\n${source}`).digest("base64url");
    if (this.#fine.has(key)) return "";
    const problem = await checkPattern(source, flags);
    if (problem === "") this.#fine.add(key);
    // Saves progress, so that the checks of an interrupted run aren't lost.
    if (this.#fine.size % 20 === 0) this.save();
    return problem;
  }

  save(): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, [...this.#fine].toSorted().join("\n"));
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
