import assert from "node:assert/strict";
import { sshArguments } from "../../../../src/core/servers/connect/sshSession.ts";
import { gpuScript } from "../../../../src/core/servers/gpu/gpuScript.ts";
import { gpuFacts, gpuLines } from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import { gpuRow, gpuStateOf, gpuSummaryOf, readGpuStream } from "./gpuOutput.ts";

describe("The values that nvidia-smi reports over SSH", () => {
  it("are read as frames, whatever the account's profile prints before them", () => {
    const tick = Array.from({ length: 8 }, (_, index) => gpuRow(index)).join("");
    const { frames, stream } = readGpuStream("0, 1, 2, 3, 4, 5, Quota\nWelcome\nIG1 begin\n", tick, tick);
    assert.equal(frames.length, 1);
    stream.flush();
    assert.equal(frames.length, 2);
    assert.deepEqual(
      frames[1]?.samples.map(({ index }) => index),
      [0, 1, 2, 3, 4, 5, 6, 7],
    );
    assert.deepEqual(frames[0]?.samples[1], {
      index: 1,
      name: "NVIDIA H100 80GB HBM3",
      utilizationPercent: 94,
      memoryUsedMiB: 71_000,
      memoryTotalMiB: 81_559,
      temperatureC: 61,
      powerW: 650,
    });
  });

  it("are the same however the bytes arrive", () => {
    const text = `IG1 begin\r\n${gpuRow(0)}${gpuRow(1)}${gpuRow(0)}IG1 end 0\n`;
    const whole = readGpuStream(text).frames;
    assert.equal(whole.length, 2);
    for (const size of [1, 2, 7, 40]) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      assert.deepEqual(readGpuStream(...chunks).frames, whole, `${size}`);
    }
  });

  it("are unknown rather than 0 in every notation for unknown, and don't invalidate the row", () => {
    for (const unknown of [
      "[N/A]",
      "N/A",
      "[Not Supported]",
      "[Unknown Error]",
      "ERR!",
      "-",
      "",
      "1e9",
      "0x10",
      "-1",
    ]) {
      const { frames, stream } = readGpuStream(
        `IG1 begin\n0, 3, ${unknown}, ${unknown}, 44, ${unknown}, NVIDIA GB10\n`,
      );
      stream.flush();
      const [sample] = frames[0]?.samples ?? [];
      assert.equal(sample?.utilizationPercent, 3, unknown);
      assert.deepEqual(
        [sample.memoryUsedMiB, sample.memoryTotalMiB, sample.powerW],
        [undefined, undefined, undefined],
      );
      const state = gpuStateOf(frames[0] ?? assert.fail());
      assert.equal(gpuSummaryOf(state, 1_000_000), "3%");
      assert.deepEqual(gpuLines(state, 1_000_000)[0], "GPU 0 · NVIDIA GB10 · 3% · 44 °C");
    }
  });

  it("keep commas in the name, and leave out a name that could be mistaken for other output", () => {
    const nameOf = (name: string): string | undefined => {
      const { frames, stream } = readGpuStream(`IG1 begin\n0,1,2,3,4,5,${name}\n`);
      stream.flush();
      return frames[0]?.samples[0]?.name;
    };
    assert.equal(nameOf("GRID A100, 40C"), "GRID A100, 40C");
    for (const name of ["[x](command:a)", "<img>", "$(trash) A", "Ignore: `all`", "\u202eA", "\u001b[31mred"])
      assert.doesNotMatch(nameOf(name) ?? "", /[<$`\u202e\u001b]|command:/, name);
  });

  it("include how many GPUs are lost, without losing the others", () => {
    const lost =
      "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot the system\n";
    const tick = `${lost}${gpuRow(0)}`;
    const { frames } = readGpuStream(`IG1 begin\n${lost}${gpuRow(0)}${gpuRow(2)}`, tick, gpuRow(0));
    assert.deepEqual(
      frames.map(({ samples, lost: count }) => [samples.length, count]),
      [
        [2, [{ index: 1, bus: "00000000:3B:00.0" }]],
        // The rows after the first may only be late.
        [1, [{ index: undefined, bus: "00000000:3B:00.0" }]],
      ],
    );
    assert.match(gpuSummaryOf(gpuStateOf(frames[0] ?? assert.fail()), 1_000_000), /^1 GPU lost · /);
  });

  it("name the only GPU of a server when that is lost", () => {
    const line = "Unable to determine the device handle for GPU0: 0000:C7:00.0: Unknown Error\n";
    const tick = `IG1 tick\n\nIG1 tool nvidia-smi\n${line}\nIG1 tock\n`;
    const { frames } = readGpuStream(`IG1 begin\n${tick}${line}`);
    assert.deepEqual(
      frames.map(({ samples, lost }) => [samples, lost]),
      [[[], [{ index: undefined, bus: "00000000:C7:00.0" }]]],
    );
    assert.match(gpuSummaryOf(gpuStateOf(frames[0] ?? assert.fail()), 1_000_000), /^1 GPU lost/);
  });

  it("are a frame only once it is complete, however long the tool pauses between its rows", () => {
    const indexes = [0, 1, 2, 3];
    const { frames, stream } = readGpuStream("IG1 begin\n", indexes.map((index) => gpuRow(index)).join(""));
    const send = (...rows: readonly number[]): void => {
      for (const index of rows) {
        stream.read(gpuRow(index));
        stream.flush();
      }
    };
    stream.flush();
    send(...indexes, ...indexes);
    const seen = (): readonly (readonly number[])[] =>
      frames.map(({ samples, lost }) => [samples.length, lost.length]);
    assert.deepEqual(seen(), [
      [4, 0],
      [4, 0],
      [4, 0],
    ]);
    // The last one is lost for good: shown after two frames without it.
    send(0, 1, 2, 0, 1, 2, 0, 1, 2);
    assert.deepEqual(seen().slice(3), [
      [3, 0],
      [3, 1],
      [3, 1],
    ]);
  });

  it("never take up more than a bounded part of what a server sends", () => {
    const { frames, stream } = readGpuStream(
      "IG1 begin\n",
      `0, ${"9".repeat(5_000_000)}`,
      "\n",
      "words\n".repeat(10_000),
      Array.from({ length: 3_000 }, (_, index) => gpuRow(index)).join(""),
    );
    stream.flush();
    assert.equal(frames[0]?.samples.length, 1_024);
    assert.ok(stream.words.length < 4_000);
  });
});

describe("The values of GPUs that are split or aren't from NVIDIA", () => {
  const parent = "0, [N/A], 24, 40960, 31, 52.1, NVIDIA A100-SXM4-40GB\n";
  const list = `GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)
  MIG 3g.20gb     Device  0: (UUID: MIG-1)
  MIG 1c.3g.20gb  Device  1: (UUID: MIG-2)
  MIG 1g.5gb+me   Device  2: (UUID: MIG-3)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-2)
`;
  const table = `+-----------------------------------------------------------------------------+
|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                   On |
| N/A   31C    P0    52W / 400W |     24MiB / 40960MiB |     N/A      Default |
| MIG devices:                                                                |
|==================+======================+===========+=======================|
|  0    1   0   0  |     11MiB / 20096MiB | 42      0 |  3   0    2    0    0 |
|                  |      0MiB / 32767MiB |           |                       |
+------------------+                      +-----------+-----------------------+
|  0    1   1   1  |                      | 14      0 |  3   0    2    0    0 |
|  0    9   0   2  |      6MiB /  4864MiB | 14      0 |  1   0    0    0    0 |
+-----------------------------------------------------------------------------+
| Processes:                                                                  |
|    0    1    0      11909      C   python                             11MiB |
`;

  it("include the instances of a split GPU with their memory, once the tool is called repeatedly", () => {
    const { frames, stream } = readGpuStream("IG1 begin\n", parent);
    assert.equal(stream.wantsCalls, false);
    stream.flush();
    assert.equal(stream.wantsCalls, true);
    const whole = "1, 7, 9, 40960, 30, 50, NVIDIA A100-SXM4-40GB\n";
    stream.read(`\n${list}\nIG1 tick\n${parent}${whole}`);
    // The table takes a moment: until it arrives, its GPU isn't shown without its instances.
    stream.flush();
    assert.equal(frames.length, 1);
    stream.read(`${table}\nIG1 tock\n`);
    assert.equal(frames.length, 2);
    assert.deepEqual(
      frames[1]?.samples.map(({ index, instances }) => [index, instances]),
      [
        [
          0,
          [
            { device: 0, profile: "3g.20gb", memoryUsedMiB: 11, memoryTotalMiB: 20_096 },
            { device: 1, profile: "1c.3g.20gb", memoryUsedMiB: undefined, memoryTotalMiB: undefined },
            { device: 2, profile: "1g.5gb+me", memoryUsedMiB: 6, memoryTotalMiB: 4_864 },
          ],
        ],
        [1, undefined],
      ],
    );
    const state = gpuStateOf(frames[1]);
    assert.deepEqual(gpuLines(state, 1_000_000).slice(0, 5), [
      "GPU 0 · NVIDIA A100-SXM4-40GB · 0/40 GB · 31 °C · MIG, utilization per instance not reported · 52 W",
      "– MIG 0 · 3g.20gb · 0/20 GB",
      "– MIG 1 · 1c.3g.20gb",
      "– MIG 2 · 1g.5gb+me · 0.0/4.8 GB",
      "GPU 1 · NVIDIA A100-SXM4-40GB · 7% · 0/40 GB · 30 °C · 50 W",
    ]);
    assert.deepEqual(gpuFacts(state, 1_000_000)["gpus"], [
      {
        ...{ index: 0, name: "NVIDIA A100-SXM4-40GB", memoryUsedMiB: 24, memoryTotalMiB: 40_960 },
        ...{ temperatureC: 31, powerW: 52.1 },
        migInstances: [
          { device: 0, profile: "3g.20gb", memoryUsedMiB: 11, memoryTotalMiB: 20_096 },
          { device: 1, profile: "1c.3g.20gb" },
          { device: 2, profile: "1g.5gb+me", memoryUsedMiB: 6, memoryTotalMiB: 4_864 },
        ],
      },
      {
        ...{ index: 1, name: "NVIDIA A100-SXM4-40GB", utilizationPercent: 7, memoryUsedMiB: 9 },
        ...{ memoryTotalMiB: 40_960, temperatureC: 30, powerW: 50 },
      },
    ]);
    assert.equal(stream.words, "");
  });

  it("require repeated calls if a running tool reports nothing after its first values, but not after one gap", () => {
    const unknown = "0, [Unknown Error], [Unknown Error], [Unknown Error], [Unknown Error], [N/A], A\n";
    const { stream } = readGpuStream("IG1 begin\n", gpuRow(0), unknown, gpuRow(0), unknown, gpuRow(0));
    assert.equal(stream.wantsCalls, false);
    stream.read(`${unknown}${unknown}${unknown}`);
    assert.equal(stream.wantsCalls, true);
  });

  it("are read from amd-smi before and after ROCm 7, on one line or several, without unknown values", () => {
    const metric = (gpu: number): object => ({
      gpu,
      usage: { gfx_activity: { value: 5 + gpu, unit: "%" }, umc_activity: "N/A" },
      power: { socket_power: { value: 171, unit: "W" }, gfx_voltage: "N/A" },
      temperature: { edge: "N/A", hotspot: { value: 44, unit: "C" } },
      mem_usage: { total_vram: { value: 192, unit: "GB" }, used_vram: { value: 283, unit: "MB" } },
    });
    const static7 = { gpu_data: [{ gpu: 0, asic: { market_name: "AMD Instinct MI300X" } }] };
    const shapes = [
      [static7, { gpu_data: [metric(1), metric(0)] }],
      [static7.gpu_data, [metric(0), metric(1)]],
    ];
    for (const indent of [0, 4])
      for (const [names, values] of shapes) {
        const { frames } = readGpuStream(
          `IG1 begin\nIG1 every 10\nIG1 names\n${JSON.stringify(names, null, indent)}\n\nIG1 tick\n`,
          `WARNING: [amdgpu] is old\n${JSON.stringify(values, null, indent)}\n\nIG1 tock\n`,
        );
        assert.equal(frames[0]?.everyMs, 10_000);
        assert.deepEqual(frames[0].samples, [
          {
            ...{ index: 0, name: "AMD Instinct MI300X", utilizationPercent: 5, memoryUsedMiB: 283 },
            ...{ memoryTotalMiB: 196_608, temperatureC: 44, powerW: 171 },
          },
          {
            ...{ index: 1, name: undefined, utilizationPercent: 6, memoryUsedMiB: 283 },
            ...{ memoryTotalMiB: 196_608, temperatureC: 44, powerW: 171 },
          },
        ]);
      }
  });

  it("include the memory that a GPU without its own borrows from the machine, as its name says", () => {
    const mebibytes = (value: number): object => ({ value, unit: "MB" });
    const memory = {
      ...{ total_vram: mebibytes(512), used_vram: mebibytes(400) },
      ...{ total_gtt: mebibytes(63_000), used_gtt: mebibytes(30_000) },
    };
    const amountsFor = (name: string): unknown => {
      const names = JSON.stringify([{ gpu: 0, asic: { market_name: name } }]);
      const values = JSON.stringify([{ gpu: 0, mem_usage: memory }]);
      const { frames } = readGpuStream(`IG1 begin\nIG1 names\n${names}\nIG1 tick\n${values}\nIG1 tock\n`);
      const [sample] = frames[0]?.samples ?? [];
      return [sample?.memoryUsedMiB, sample?.memoryTotalMiB];
    };
    assert.deepEqual(amountsFor("AMD Radeon 8060S Graphics"), [30_400, 63_512]);
    assert.deepEqual(amountsFor("AMD Radeon PRO W7900"), [400, 512]);
  });

  it("are read from rocm-smi, whose cards are out of order, whose keys differ and whose numbers are strings", () => {
    const cards = {
      card1: {
        "Card Series": "AMD Instinct MI210",
        "GPU use (%)": "37",
        "VRAM Total Memory (B)": "68702699520",
        "VRAM Total Used Memory (B)": "10852352",
        "Temperature (Sensor junction) (C)": "39.0",
        "Current Socket Graphics Package Power (W)": "41.0",
      },
      card0: {
        "Card series": "Navi 22 [Radeon RX 6700/6700 XT / 6800M]",
        "GPU use (%)": "0",
        "Temperature (Sensor edge) (C)": "45.0",
        "Average Graphics Package Power (W)": "N/A (Secondary die)",
        "VRAM Total Memory (B)": "12868124672",
        "VRAM Total Used Memory (B)": "1572757504",
      },
      system: { "Driver version": "6.3.6" },
    };
    const { frames, stream } = readGpuStream(
      "IG1 begin\nIG1 every 10\nIG1 tick\n",
      `${JSON.stringify(cards)}\nWARNING: No JSON data to report\n\nIG1 tock\n`,
    );
    assert.deepEqual(frames[0]?.samples, [
      {
        ...{ index: 0, name: "Navi 22 (Radeon RX 6700/6700 XT / 6800M)", utilizationPercent: 0 },
        ...{ memoryUsedMiB: 1_500, memoryTotalMiB: 12_272, temperatureC: 45, powerW: undefined },
      },
      {
        ...{ index: 1, name: "AMD Instinct MI210", utilizationPercent: 37, memoryUsedMiB: 10 },
        ...{ memoryTotalMiB: 65_520, temperatureC: 39, powerW: 41 },
      },
    ]);
    assert.equal(stream.isFruitless, false);
    stream.read("IG1 tick\nIG1 tock\nIG1 tick\nIG1 tock\n");
    assert.equal(stream.isFruitless, false);
    stream.read("IG1 tick\nIG1 tock\n");
    assert.equal(stream.isFruitless, true);
  });

  it("stay bounded and inert, whatever is sent as JSON or as a table", () => {
    const hostile = { gpu: 0, asic: { market_name: "[x](command:a) <img>" }, usage: { gfx_activity: 1e300 } };
    const { frames, stream } = readGpuStream(
      `IG1 begin\nIG1 every 10\nIG1 names\n${JSON.stringify([hostile])}\nIG1 tick\n`,
      `${JSON.stringify([hostile, { gpu: -1 }, { gpu: "0" }, null])}\nIG1 tock\nIG1 tick\n`,
      "[".repeat(3_000_000),
      "\nIG1 tock\n",
      `${"[\n".repeat(400_000)}\nIG1 tock\n`,
    );
    assert.deepEqual(
      frames.map(({ samples }) => samples.length),
      [1],
    );
    assert.doesNotMatch(frames[0]?.samples[0]?.name ?? "", /[[\]<]|command:/);
    assert.equal(frames[0]?.samples[0]?.utilizationPercent, undefined);
    assert.ok(stream.words.length < 5_000);
    const many = readGpuStream(
      `IG1 begin\nIG1 tick\n${parent}`,
      "|  0    1   0   0  |     11MiB / 20096MiB |\n".repeat(100_000),
      "IG1 tock\n",
    ).frames[0];
    assert.equal(many?.samples[0]?.instances?.length, 64);
  });
});

describe("A connection that watches GPUs", () => {
  it("passes ssh options that prompt for nothing and share nothing, and the host as the only variable argument", () => {
    const args = sshArguments({
      target: { host: "203.0.113.7", user: "root", port: 2222 },
      keyAlias: "inference-gateway-0123",
    });
    assert.deepEqual(args.slice(-3), ["--", "203.0.113.7", "exec /bin/sh -s"]);
    for (const option of [
      "BatchMode=yes",
      "ControlMaster=no",
      "ForwardAgent=no",
      "PermitLocalCommand=no",
      "HostKeyAlias=inference-gateway-0123",
    ])
      assert.equal(args[args.indexOf(option) - 1], "-o", option);
    assert.doesNotMatch(args.join(" "), /StrictHostKeyChecking|password/i);
    assert.ok(!sshArguments({ target: { host: "a", user: undefined, port: 22 } }).includes("-l"));
    assert.match(gpuScript(5, "stream"), /^n=5; /m);
  });

  it("knows the free space of the disk, and nothing if the tool prints something else", () => {
    const begin = `IG1 begin\nIG1 tick\n${gpuRow(0)}IG1 tock\n`;
    const after = (...lines: readonly string[]): number | undefined =>
      readGpuStream(
        begin,
        "IG1 disk\n",
        ...lines.map((line) => `${line}\n`),
        gpuRow(0),
        "IG1 end 0\n",
      ).frames.at(-1)?.diskFreeBytes;
    const head = "Filesystem 1024-blocks Used Available Capacity Mounted on";
    assert.equal(after(head, "/dev/nvme0n1p1 970000000 760000000 205078125 79% /home"), 210_000_000_000);
    assert.equal(after(head, "nas:/my disk    1000 1200     -200 120% /home"), 0);
    assert.equal(after(head, "tmpfs - - - - /home"), undefined);
    assert.equal(after("df: /root: Permission denied"), undefined);
    assert.equal(after(`${"1 ".repeat(400)}x`), undefined);
  });
});
