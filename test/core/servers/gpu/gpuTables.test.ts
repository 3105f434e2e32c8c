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

  const xpu = (heads: string, values: string): readonly (number | undefined)[] =>
    readGpuTables(`DeviceId, GPU Utilization (%), ${heads}\n0, 12.5, ${values}`).flatMap((sample) => [
      ...[sample.utilizationPercent, sample.memoryUsedMiB, sample.temperatureC, sample.powerW],
    ]);

  it("are in the units that headings name, and unknown in any other unit", () => {
    assert.deepEqual(xpu("GPU Memory Used (GiB), GPU Power (mW)", "3.5, 2500"), [
      12.5,
      3_584,
      undefined,
      2.5,
    ]);
    assert.deepEqual(xpu("GPU Memory Used (KiB)", "2048"), [12.5, 2, undefined, undefined]);
    assert.deepEqual(xpu("GPU Core Temperature (Fahrenheit), GPU Memory Used (MiB)", "113, 9"), [
      ...[12.5, 9, undefined, undefined],
    ]);
    assert.deepEqual(xpu("TileId", "1"), []);
  });

  it("are in the units that AMD's tool prints beside them, and unknown in any other unit", () => {
    const read = (used: unknown, total: unknown): readonly (number | undefined)[] =>
      readAmdValues(
        JSON.stringify([{ gpu: 0, mem_usage: { used_vram: used, total_vram: total } }]),
        new Map(),
      ).flatMap(({ memoryUsedMiB, memoryTotalMiB }) => [memoryUsedMiB, memoryTotalMiB]);
    assert.deepEqual(read({ value: 2_048, unit: "KB" }, { value: 64, unit: "GiB" }), [2, 65_536]);
    assert.deepEqual(read("3 GB", "64 GB"), [3_072, 65_536]);
    assert.deepEqual(read("3 pages", "64 pages"), [undefined, undefined]);
  });
});
