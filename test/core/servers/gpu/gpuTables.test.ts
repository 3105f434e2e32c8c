import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readAmdValues } from "../../../../src/core/servers/gpu/gpuReadings.ts";
import { readGpuTables } from "../../../../src/core/servers/gpu/gpuTables.ts";
import * as v from "valibot";

const number = v.optional(v.nullable(v.number()));
const Recordings = v.record(
  v.string(),
  v.object({
    command: v.string(),
    text: v.string(),
    expected: v.array(
      v.object({
        ...{ index: v.number(), name: v.optional(v.nullable(v.string())), util: number },
        ...{ memUsedMiB: number, memTotalMiB: number, tempC: number, powerW: number },
        unified: v.optional(v.boolean()),
      }),
    ),
  }),
);

/** What tools of all vendors printed on real machines, with the values that they mean. */
const recordings = v.parse(
  Recordings,
  JSON.parse(readFileSync(new URL("../../../fixtures/gpu-tools.json", import.meta.url), "utf8")),
);

describe("The values of GPUs, as tools of all vendors print them", () => {
  for (const [id, { command, text, expected }] of Object.entries(recordings))
    it(`are read from ${command} (${id})`, () => {
      const samples = /json/.test(id) ? readAmdValues(text, new Map()) : readGpuTables(text);
      const found = samples.map((sample, place) => {
        const wanted = expected[place] ?? {};
        const all = {
          ...{ index: sample.index, name: sample.name ?? null, util: sample.utilizationPercent ?? null },
          ...{ memUsedMiB: sample.memoryUsedMiB ?? null, memTotalMiB: sample.memoryTotalMiB ?? null },
          ...{ tempC: sample.temperatureC ?? null, powerW: sample.powerW ?? null },
          unified: sample.isMemoryShared ?? false,
        };
        return Object.fromEntries(Object.entries(all).filter(([key]) => Object.hasOwn(wanted, key)));
      });
      const plain = (text: string): string => text.replaceAll("[", "(").replaceAll("]", ")");
      const named = expected.map((each) => ({
        ...each,
        ...(typeof each.name === "string" ? { name: plain(each.name) } : {}),
      }));
      assert.deepEqual(found, named);
    });
});
