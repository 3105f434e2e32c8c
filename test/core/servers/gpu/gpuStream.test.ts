import assert from "node:assert/strict";
import {
  GpuStream,
  gpuProblemOf,
  gpuProblems,
  gpuScript,
  gpuSshArguments,
} from "../../../../src/core/servers/gpu/gpuStream.ts";
import type { GpuFrame } from "../../../../src/core/servers/gpu/gpuStream.ts";
import { gpuFacts, gpuLines, gpuSummary, isLive } from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import type { GpuWatchState } from "../../../../src/core/servers/gpu/gpuWatchState.ts";

function read(...chunks: readonly string[]): {
  readonly frames: readonly GpuFrame[];
  readonly stream: GpuStream;
} {
  const frames: GpuFrame[] = [];
  const stream = new GpuStream((frame) => frames.push(frame));
  for (const chunk of chunks) stream.read(chunk);
  return { frames, stream };
}

const row = (index: number, used = 71_000): string =>
  `${index}, ${95 - index}, ${used}, 81559, ${60 + index}, 650.00, NVIDIA H100 80GB HBM3\n`;
const stateOf = (frame: GpuFrame, parts: Partial<GpuWatchState> = {}): GpuWatchState => ({
  ...frame,
  ...{ measuredAt: 1_000_000, intervalMs: 5_000, problem: undefined },
  ...parts,
});

describe("The values that nvidia-smi reports over SSH", () => {
  it("are read as frames, whatever the profile of the account prints before", () => {
    const tick = Array.from({ length: 8 }, (_, index) => row(index)).join("");
    const { frames, stream } = read("0, 1, 2, 3, 4, 5, Quota\nWelcome\nIG1 begin\n", tick, tick);
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
    const text = `IG1 begin\r\n${row(0)}${row(1)}${row(0)}IG1 end 0\n`;
    const whole = read(text).frames;
    assert.equal(whole.length, 2);
    for (const size of [1, 2, 7, 40]) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      assert.deepEqual(read(...chunks).frames, whole, `${size}`);
    }
  });

  it("are unknown rather than 0 in every spelling of unknown, and don't spoil the row", () => {
    for (const unknown of [
      "[N/A]",
      "N/A",
      "[Not Supported]",
      "[Unknown Error]",
      "[GPU is lost]",
      "ERR!",
      "-",
      "",
      "1e9",
      "0x10",
      "-1",
    ]) {
      const { frames, stream } = read(
        `IG1 begin\n0, 3, ${unknown}, ${unknown}, 44, ${unknown}, NVIDIA GB10\n`,
      );
      stream.flush();
      const [sample] = frames[0]?.samples ?? [];
      assert.equal(sample?.utilizationPercent, 3, unknown);
      assert.deepEqual(
        [sample.memoryUsedMiB, sample.memoryTotalMiB, sample.powerW],
        [undefined, undefined, undefined],
      );
      const state = stateOf(frames[0] ?? assert.fail());
      assert.equal(gpuSummary(state, 1_000_000), "GPU 3%");
      assert.deepEqual(gpuLines(state, 1_000_000)[0], "GPU 0 · NVIDIA GB10 · 3% · 44 °C");
    }
  });

  it("keep commas in the name, and leave out a name that could be read as anything else", () => {
    const nameOf = (name: string): string | undefined => {
      const { frames, stream } = read(`IG1 begin\n0,1,2,3,4,5,${name}\n`);
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
    const { frames, stream } = read(`IG1 begin\n${lost}${row(0)}${row(2)}${lost}${row(0)}`);
    stream.flush();
    assert.deepEqual(
      frames.map(({ samples, lost: count }) => [samples.length, count]),
      [
        [2, 1],
        [1, 1],
      ],
    );
    assert.match(gpuSummary(stateOf(frames[0] ?? assert.fail()), 1_000_000), /GPUs lost: 1$/);
  });

  it("never take more than a bounded piece of what a server sends", () => {
    const { frames, stream } = read(
      "IG1 begin\n",
      `0, ${"9".repeat(5_000_000)}`,
      "\n",
      "words\n".repeat(10_000),
      Array.from({ length: 1_000 }, (_, index) => row(index)).join(""),
    );
    stream.flush();
    assert.equal(frames[0]?.samples.length, 64);
    assert.ok(stream.words.length < 4_000);
  });
});

describe("A connection that watches GPUs", () => {
  it("passes ssh options that ask nothing and share nothing, and the host as the only free word", () => {
    const args = gpuSshArguments({ host: "203.0.113.7", user: "root", port: 2222 }, "inference-gateway-0123");
    assert.deepEqual(args.slice(-3), ["--", "203.0.113.7", "exec sh -s"]);
    for (const option of [
      "BatchMode=yes",
      "ControlMaster=no",
      "ForwardAgent=no",
      "PermitLocalCommand=no",
      "HostKeyAlias=inference-gateway-0123",
    ])
      assert.equal(args[args.indexOf(option) - 1], "-o", option);
    assert.doesNotMatch(args.join(" "), /StrictHostKeyChecking|password/i);
    assert.ok(!gpuSshArguments({ host: "a", user: undefined, port: 22 }).includes("-l"));
    assert.match(gpuScript(5), / -l 5 /);
  });

  it("explains each end with a sentence, judged by what was printed", () => {
    const begun = (text: string): GpuStream => read(`IG1 begin\n${text}`).stream;
    const none = read("").stream;
    const ends: readonly (readonly [keyof typeof gpuProblems, GpuStream, string])[] = [
      ["unreachable", none, "ssh: connect to host 203.0.113.7 port 22: Connection refused"],
      ["unreachable", none, "Connection timed out during banner exchange"],
      ["unreachable", none, "ssh: Could not resolve hostname gpu.example: Name or service not known"],
      ["denied", none, "root@203.0.113.7: Permission denied (publickey,password)."],
      ["unknownKey", none, "Host key verification failed."],
      [
        "changedKey",
        none,
        "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
      ],
      ["noShell", read("This account is not available\n").stream, ""],
      ["lost", begun(row(0)), "Connection to 203.0.113.7 closed by remote host."],
      ["noTool", begun("IG1 end 127\n"), ""],
      [
        "driver",
        begun("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n\nIG1 end 9\n"),
        "",
      ],
      ["driver", begun("Failed to initialize NVML: Driver/library version mismatch\nIG1 end 18\n"), ""],
      ["noGpu", begun("No devices were found\nIG1 end 6\n"), ""],
      ["ended", begun(`${row(0)}IG1 end 0\n`), ""],
    ];
    for (const [problem, stream, errors] of ends) {
      assert.equal(gpuProblemOf(stream, errors), problem, errors);
      assert.match(gpuProblems[problem].text(), /^[A-Z“].*\.$/);
    }
  });

  it("calls values live only while they keep coming", () => {
    const { frames, stream } = read(`IG1 begin\n${row(0)}${row(1)}`);
    stream.flush();
    const state = stateOf(frames[0] ?? assert.fail());
    assert.equal(isLive(state, 1_005_000), true);
    assert.equal(isLive(state, 1_020_000), false);
    assert.equal(isLive({ ...state, problem: "lost" }, 1_001_000), false);
    assert.equal(gpuSummary(state, 1_000_000), "2 GPUs 95% · 138.7/159.3 GiB");
    assert.match(gpuSummary(state, 1_120_000), /GiB · 2 minutes ago$/);
    assert.equal(gpuLines(state, state.measuredAt ?? 0).at(-1), "Measured just now");
    assert.equal(gpuLines(state, (state.measuredAt ?? 0) + 3_000).at(-1), "Measured 3 seconds ago");
    assert.equal(gpuSummary({ ...state, measuredAt: undefined, problem: "lost" }, 0), "GPU unavailable");
    const facts = gpuFacts({ ...state, problem: "lost" }, 1_004_000);
    assert.equal(facts["isLive"], false);
    assert.equal(facts["ageSeconds"], 4);
    assert.equal(facts["problem"], "The SSH connection to the server was lost.");
  });
});
