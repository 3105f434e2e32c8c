import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import * as v from "valibot";
import { isVisible } from "../../src/core/kernel/foreignText.ts";
import { GpuStream, type GpuFrame } from "../../src/core/servers/gpu/gpuStream.ts";
import { readAmdValues, type GpuSample } from "../../src/core/servers/gpu/gpuReadings.ts";
import { readGpuTables } from "../../src/core/servers/gpu/gpuTables.ts";
import { readServerJobs } from "../../src/core/servers/jobs/job.ts";
import { delta, done, joined, readBody, stop } from "../gateway/completion/readBody.ts";

fc.configureGlobal({ numRuns: Number(process.env["PROPERTY_RUNS"] ?? 200) });

const recordings = Object.values(
  v.parse(
    v.record(v.string(), v.object({ text: v.string() })),
    JSON.parse(readFileSync(new URL("../fixtures/gpu-tools.json", import.meta.url), "utf8")),
  ),
).map(({ text }) => text);

const rows = [
  "IG1 begin",
  "0, 95, 71000, 81559, 60, 650.00, NVIDIA H100 80GB HBM3",
  "1, [N/A], [Unknown Error], 81559, ERR!, [GPU is lost], NVIDIA A40, with, commas",
  "7, 0, 4294967295, 15360, 999, 4294967.29, \u001b[31mTesla T4",
  "Unable to determine the device handle for GPU0000:C7:00.0: Unknown Error",
  "IG1 end 0",
  "",
];

/** What a tool printed, changed in a few places: cut, repeated, with other numbers or with any text in it. */
const damaged = fc
  .tuple(
    fc.constantFrom(...recordings, rows.join("\n")),
    fc.array(
      fc.tuple(
        fc.nat(10_000),
        fc.nat(40),
        fc.oneof(
          fc.string({ unit: "grapheme", maxLength: 12 }),
          fc.constantFrom(
            "-1",
            "1e999",
            "4294967295",
            "N/A",
            "[GPU is lost]",
            "\u202e",
            "\u001b[2J",
            "\0",
            "|",
            ",",
          ),
          fc.integer().map(String),
        ),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, [place, length, by]) => {
      const at = place % (changed.length + 1);
      return changed.slice(0, at) + by + changed.slice(at + length);
    }, text),
  );

/** A value is possible or unknown, never impossible. */
function assertPossible(sample: GpuSample): void {
  const within = (value: number | undefined, most: number): void =>
    assert.ok(value === undefined || (value >= 0 && value <= most), JSON.stringify(sample));
  within(sample.utilizationPercent, 100);
  within(sample.temperatureC, 150);
  within(sample.powerW, 5_000);
  within(sample.memoryTotalMiB, Number.MAX_SAFE_INTEGER);
  within(sample.memoryUsedMiB, sample.memoryTotalMiB ?? Number.MAX_SAFE_INTEGER);
  assert.ok(sample.memoryTotalMiB !== 0 && Number.isSafeInteger(sample.index) && sample.index >= 0);
  assert.ok(isInert(sample.name ?? ""), JSON.stringify(sample.name));
}

function isInert(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text) && [...text].every((each) => each === " " || isVisible(each));
}

describe("Properties of what a server prints, for any output", () => {
  it("values of GPUs are possible or unknown, and their names are inert", () => {
    fc.assert(
      fc.property(damaged, (text) => {
        for (const sample of [...readGpuTables(text), ...readAmdValues(text, new Map())])
          assertPossible(sample);
        const stream = new GpuStream(({ samples }) => samples.forEach(assertPossible));
        stream.read(`IG1 begin\n${text}\n`);
        stream.flush();
      }),
    );
  });

  it("frames of values are the same, however the output is cut", () => {
    const lines = fc.array(fc.constantFrom(...rows), { maxLength: 20 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400), { maxLength: 20 }), (some, places) => {
        const text = `IG1 begin\n${some.join("\n")}\n`;
        const cuts = [0, ...places.map((place) => place % text.length), text.length].toSorted(
          (a, b) => a - b,
        );
        const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
        assert.deepEqual(framesOf(pieces), framesOf([text]));
      }),
    );
  });

  it("a job is in one of the known states, ends after its start, and has inert last lines", () => {
    const number = fc.oneof(
      fc.nat(2_000_000_000).map(String),
      fc.constantFrom("-", "0", "999999999999", "1e9", "-5"),
    );
    const word = fc.oneof(
      number,
      fc.constantFrom("0123456789abcdef", "pid", "pid.told", "stopped", "other", "-"),
    );
    const line = fc.oneof(
      fc.tuple(fc.constant("IG1 server"), number, number),
      fc.tuple(fc.constant("IG1 job 0123456789abcdef"), number, number, number, number, word),
      fc.tuple(
        fc.constantFrom("IG1 last", "IG1 command", "IG1 venv", "IG1 conda", "IG1 job"),
        fc.string({ unit: "binary" }),
      ),
      fc.tuple(fc.string({ unit: "binary" })),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (parts) => {
        const report = readServerJobs(
          parts.map((words) => words.join(" ")),
          1_800_000_000_000,
        );
        for (const { id, startedAt, endedAt = Infinity, lastLine, exitCode = 0 } of report.jobs) {
          assert.match(id, /^[0-9a-f]{16}$/);
          assert.ok(endedAt >= startedAt && exitCode >= 0 && exitCode <= 999);
          assert.ok(isInert(lastLine), JSON.stringify(lastLine));
        }
        for (const { path, label } of report.environments)
          assert.ok(path.startsWith("/") && !/\p{Cc}/u.test(path) && isInert(label));
      }),
    );
  });
});

describe("Properties of a streamed response, for any text", () => {
  it("the text, the reasoning and the calls are the same, however the bytes are split", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 30 });
    const piece = fc.oneof(
      text.map((content) => delta({ content })),
      text.map((reasoning_content) => delta({ reasoning_content })),
      fc
        .constantFrom("<think>", "</think>", "<thi", "nk>", "\ud83d", "\ude00")
        .map((content) => delta({ content })),
      fc
        .tuple(fc.nat(2), text)
        .map(([index, part]) =>
          delta({ tool_calls: [{ index, id: `c${index}`, function: { name: "f", arguments: part } }] }),
        ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom("\n", "\r\n"),
        async (pieces, end) => {
          const body = [...pieces, stop].map((each) => `data: ${JSON.stringify(each)}${end}${end}`).join("");
          // Reads it in every way of splitting, and fails if one differs.
          const { events, error } = await readBody(body + done);
          assert.equal(error, undefined);
          assert.equal(joined(events).at(-1)?.type, "finish");
        },
      ),
      { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 40) },
    );
  });
});

function framesOf(pieces: readonly string[]): readonly GpuFrame[] {
  const frames: GpuFrame[] = [];
  const stream = new GpuStream((frame) => frames.push(frame));
  for (const piece of pieces) stream.read(piece);
  stream.flush();
  return frames;
}
