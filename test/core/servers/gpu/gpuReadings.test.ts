import assert from "node:assert/strict";
import { amdNames, readAmdValues, readNvidiaRow } from "../../../../src/core/servers/gpu/gpuReadings.ts";
import type { GpuFrame } from "../../../../src/core/servers/gpu/gpuStream.ts";
import { readGpuTables } from "../../../../src/core/servers/gpu/gpuTables.ts";
import { GpuStream } from "../../../../src/core/servers/gpu/gpuStream.ts";

describe("A row with commas as decimal marks", () => {
  it("is read as if they were points, and a comma in the name stays", () => {
    const row = readNvidiaRow("0, 71, 1024,5, 81559, 40, 350,25, NVIDIA H100, 80,5 GB");
    const { name, memoryUsedMiB, temperatureC, powerW } = row ?? {};
    assert.deepEqual(
      [name, memoryUsedMiB, temperatureC, powerW],
      ["NVIDIA H100, 80.5 GB", 1024.5, 40, 350.25],
    );
    assert.equal(readNvidiaRow("0,71,1024,81559,40,350,NVIDIA H100, PCIe")?.powerW, 350);
  });

  it("is read in tables, too", () => {
    const head = "index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]";
    const [sample] = readGpuTables(`${head}\n0, NVIDIA H100, 71 %, 1024 MiB, 81559 MiB, 50,00 W`);
    assert.deepEqual([sample?.name, sample?.utilizationPercent, sample?.powerW], ["NVIDIA H100", 71, 50]);
  });
});

describe("Values of GPUs that warnings precede", () => {
  const amd = JSON.stringify([{ gpu: 0, usage: { gfx_activity: 7 } }], null, 2);
  const rocm = JSON.stringify({ card0: { "GPU use (%)": "7", "Card Series": 'A "[{" {B' } });
  const names = JSON.stringify({ gpu_data: [{ gpu: 0, asic: { market_name: "AMD Instinct" } }] });
  const warnings = [
    "[WARNING] User is missing the following required groups: video",
    "[2026-11-23 04:00:00] {amdgpu} old driver]",
    '["a list", ["of words"]] {"and": "a record"}',
    "[]\n{}\n[[[",
    '{"unclosed": "quote\n["unclosed',
    "  \t[ {",
    "Can't read [card1]: ",
  ];

  it("are read by AMD's tools, also if the warning looks like JSON or shares its line", () => {
    for (const warning of warnings)
      for (const gap of ["\n", ""]) {
        const around = (json: string): string => `${warning}${gap}${json}\n[WARNING] The end ]}\n`;
        assert.equal(amdNames(around(names)).get(0), "AMD Instinct", around(names));
        for (const values of [amd, rocm])
          assert.equal(readAmdValues(around(values), new Map())[0]?.utilizationPercent, 7, around(values));
      }
    assert.deepEqual(readAmdValues(warnings.join("\n"), new Map()), []);
  });

  it("are read by a stream of any tool", () => {
    const frames: GpuFrame[] = [];
    const streamOf = (text: string): void => {
      const stream = new GpuStream((frame) => frames.push(frame));
      stream.read(`IG1 begin\n${text}`);
      stream.flush();
    };
    const [warning = ""] = warnings;
    streamOf(`IG1 every 10\nIG1 names\n${warning}\n${names}\nIG1 tick\n${warning}\n${amd}\nIG1 tock\n`);
    streamOf(
      `${warning}\nWARNING: infoROM is corrupted, at gpu 0000:01:00.0\n0, 7, 1, 2, 30, 40.5, NVIDIA H100\n`,
    );
    assert.deepEqual(
      frames.map(({ samples }) => samples.map(({ name, utilizationPercent }) => [name, utilizationPercent])),
      [[["AMD Instinct", 7]], [["NVIDIA H100", 7]]],
    );
  });

  it("cost a bounded number of attempts, however many beginnings of JSON there are", () => {
    for (const piece of ['[{"', "[{", "{}", '["a",', "[]\n"]) {
      const text = piece.repeat(500_000 / piece.length);
      assert.deepEqual(readAmdValues(text, new Map()), []);
    }
  });
});
