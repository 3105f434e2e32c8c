import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchmarkRow } from "../bench/benchmark.ts";
import { createEvents, streamShapes } from "../bench/support/streamShapes.ts";
import { formatTable, isFarOff } from "../bench/table.ts";

const benchFolder = fileURLToPath(new URL("../bench", import.meta.url));

function row(parts: Partial<BenchmarkRow>): BenchmarkRow {
  return { name: "a row", value: 10, unit: "ms", ...parts };
}

describe("A benchmark", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "benchmark-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Runs a benchmark with these statements and returns the exit code and the output. */
  function runOne(statements: string): { readonly status: number | null; readonly output: string } {
    const file = join(folder, "own.bench.mts");
    writeFileSync(file, `export const benchmark = { title: "Own", async run() { ${statements} } };`);
    const args = [
      "--disable-warning=ExperimentalWarning",
      join(benchFolder, "runOne.ts"),
      file,
      `${file}.json`,
    ];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    return { status, output: stdout };
  }

  it("fails if a ratio, or a value without one, is above or below its limit", () => {
    assert.equal(isFarOff(row({ failAbove: 9 }), 0), true);
    assert.equal(isFarOff(row({ failAbove: 11 }), 0), false);
    assert.equal(isFarOff(row({ failBelow: 11 }), 0), true);
    assert.equal(isFarOff(row({ failBelow: 9 }), 0), false);
    assert.equal(isFarOff(row({ ratio: 2, failAbove: 3 }), 0), false);
    assert.equal(isFarOff(row({ ratio: 4, failAbove: 3 }), 0), true);
    assert.equal(isFarOff(row({ target: "< 5" }), 0), false);
  });

  it("isn't judged by a time that other processes may have decided, but by ratios and CPU times", () => {
    const busy = 0.6;
    assert.equal(isFarOff(row({ failAbove: 9 }), busy), false);
    assert.equal(isFarOff(row({ ratio: 4, failAbove: 3 }), busy), true);
    assert.equal(isFarOff(row({ unit: "ms CPU", failAbove: 9 }), busy), true);
    assert.match(formatTable([row({ failAbove: 9 })], busy), /not judged/);
  });

  it("fails if a value with a limit couldn't be measured", () => {
    assert.equal(isFarOff(row({ value: NaN, failAbove: 9 }), 0), true);
    assert.equal(isFarOff(row({ ratio: NaN, failBelow: 9 }), 0), true);
    assert.equal(isFarOff(row({ value: Infinity, failAbove: 9 }), 0), true);
  });

  it("marks the rows that fail and no others", () => {
    const lines = formatTable([row({ name: "bad", failAbove: 9 }), row({ name: "good" })], 0).split("\n");
    assert.deepEqual(
      lines.filter((line) => line.includes("← yes")).map((line) => line.split(" ")[0]),
      ["bad"],
    );
  });

  it("ends with an exit code that says whether a target was missed by far or the benchmark itself failed", () => {
    const rows = (limit: number): string =>
      `return [{ name: "a row", value: 10, unit: "times", failAbove: ${limit} }];`;
    assert.equal(runOne(rows(11)).status, 0);
    const missed = runOne(rows(9));
    assert.equal(missed.status, 2);
    assert.match(missed.output, /a row +10 +times +← yes/);
    assert.equal(runOne('throw new Error("It broke.");').status, 1);
  });

  it("can fail, whichever benchmark it is", () => {
    const files = globSync("**/*.bench.ts", { cwd: benchFolder });
    const without = files.filter(
      (file) => !/failAbove|failBelow/.test(readFileSync(join(benchFolder, file), "utf8")),
    );
    assert.ok(files.length >= 15);
    assert.deepEqual(without, []);
  });

  it("of decoding sends at least eleven kinds of streams of server-sent events", () => {
    const firsts = new Set(streamShapes.map((shape) => String(createEvents(shape, 1)[0])));
    assert.ok(firsts.size >= 11, `${firsts.size} kinds`);
    for (const first of firsts) assert.match(first, /^data: /m);
  });
});
