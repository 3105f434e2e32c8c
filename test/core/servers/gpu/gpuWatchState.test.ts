import assert from "node:assert/strict";
import type { GpuStream } from "../../../../src/core/servers/gpu/gpuStream.ts";
import {
  gpuFacts,
  gpuLines,
  gpuProblemOf,
  gpuProblems,
  gpuRows,
  gpuSummary,
  isLive,
} from "../../../../src/core/servers/gpu/gpuWatchState.ts";
import { UseTracker } from "../../../../src/core/servers/gpu/serverUse.ts";
import { gpuRow, gpuStateOf, gpuSummaryOf, readGpuStream } from "./gpuOutput.ts";

describe("A connection that watches GPUs", () => {
  it("explains each end with a sentence, based on what was printed", () => {
    const begun = (text: string): GpuStream => readGpuStream(`IG1 begin\n${text}`).stream;
    const none = readGpuStream("").stream;
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
      ["noShell", readGpuStream("This account is not available\n").stream, ""],
      ["noShell", none, "/home/me/.bashrc: line 3: /opt/tools/setup.sh: Permission denied"],
      ["lost", begun(gpuRow(0)), "Connection to 203.0.113.7 closed by remote host."],
      ["noTool", begun("IG1 end 127\n"), ""],
      [
        "windows",
        none,
        "'exec' is not recognized as an internal or external command,\r\noperable program or batch file.",
      ],
      [
        "windows",
        none,
        'Der Befehl "exec" ist entweder falsch geschrieben oder\nkonnte nicht gefunden werden.',
      ],
      ["windows", none, "+ FullyQualifiedErrorId : CommandNotFoundException"],
      [
        "driver",
        begun("IG1 every 10\nIG1 names\nIG1 tick\nERROR:root:Driver not initialized (amdgpu)\nIG1 tock\n"),
        "",
      ],
      [
        "noAccess",
        begun(
          "IG1 every 10\nIG1 names\nIG1 tick\nUser is missing the following required groups: render, video.\nIG1 tock\n",
        ),
        "",
      ],
      ["ended", begun("IG1 every 10\nIG1 names\nIG1 tick\n{}\nIG1 tock\n"), ""],
      [
        "driver",
        begun("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n\nIG1 end 9\n"),
        "",
      ],
      ["mismatch", begun("Failed to initialize NVML: Driver/library version mismatch\nIG1 end 18\n"), ""],
      ["silent", begun("IG1 end 143\n"), ""],
      ["noGpu", begun("No devices were found\nIG1 end 6\n"), ""],
      ["ended", begun(`${gpuRow(0)}IG1 end 0\n`), ""],
    ];
    for (const [problem, stream, errors] of ends) {
      assert.equal(gpuProblemOf(stream, errors), problem, errors);
      assert.match(gpuProblems[problem].text(), /^[A-Z“].*\.$/);
    }
  });

  it("calls values live only as long as new ones arrive", () => {
    const { frames, stream } = readGpuStream(`IG1 begin\n${gpuRow(0)}${gpuRow(1)}`);
    stream.flush();
    const state = gpuStateOf(frames[0] ?? assert.fail());
    assert.equal(isLive(state, 1_005_000), true);
    assert.equal(isLive(state, 1_020_000), false);
    assert.equal(isLive({ ...state, problem: "lost" }, 1_001_000), false);
    assert.equal(gpuSummaryOf(state, 1_000_000), "95% · 139/159 GB");
    assert.match(gpuSummaryOf(state, 1_120_000), /GB · 2 minutes ago$/);
    assert.equal(gpuLines(state, state.measuredAt ?? 0).at(-1), "Measured just now");
    assert.equal(gpuLines(state, (state.measuredAt ?? 0) + 3_000).at(-1), "Measured 3 seconds ago");
    assert.equal(gpuSummaryOf({ ...state, measuredAt: undefined, problem: "lost" }, 0), "GPU unavailable");
    // Whether a server is without SSH isn't certain at the first failure.
    const failed = new UseTracker();
    failed.addFailure(1_000_000);
    const nothing = { ...state, measuredAt: undefined, samples: [] };
    assert.equal(gpuSummary(nothing, failed.use(1_030_000), 1_030_000), "GPU: connecting…");
    failed.addFailure(1_065_000);
    assert.equal(gpuSummary(nothing, failed.use(1_065_000), 1_065_000), "running, no SSH for 1 min");
    const facts = gpuFacts({ ...state, problem: "lost" }, 1_004_000);
    assert.equal(facts["isLive"], false);
    assert.equal(facts["ageSeconds"], 4);
    assert.equal(facts["problem"], "The SSH connection to the server was lost.");
  });

  it("shows a row for each GPU, lost ones first, with who holds its memory", () => {
    const { frames, stream } = readGpuStream(
      `IG1 begin\nUnable to determine the device handle for GPU0000:C7:00.0: GPU is lost.\n${gpuRow(0)}${gpuRow(2)}`,
    );
    stream.flush();
    const holder = {
      ...{ pid: 7, gpu: 2, memoryMiB: 71_000, name: "train.py", user: "me", isOwn: true },
      model: undefined,
    };
    const rows = gpuRows(gpuStateOf(frames[0] ?? assert.fail(), { processes: [holder] }));
    assert.deepEqual(
      rows.map(({ title, text }) => `${title}: ${text}`),
      [
        "GPU 1: lost (00000000:C7:00.0)",
        "GPU 0: 95% · 69/80 GB · 60 °C",
        "GPU 2: 93% · 69/80 GB · 62 °C · train.py (you)",
      ],
    );
    assert.equal(new Set(rows.map(({ key }) => key)).size, 3);
  });
});
