import assert from "node:assert/strict";
import { readGpuStream } from "./gpuOutput.ts";

/** What the script prints about these processes of one GPU, and the reply to the question about them. */
function processesOf(apps: string, reply: string): ReturnType<typeof readGpuStream> {
  const list = "IG1 names nvidia-smi\nGPU 0: NVIDIA H100 (UUID: GPU-a)\nGPU 1: NVIDIA H100 (UUID: GPU-b)\n";
  const values = "0, 5, 100, 81559, 30, 70, NVIDIA H100\n1, 5, 100, 81559, 30, 70, NVIDIA H100\n";
  return readGpuStream(
    `IG1 begin\nIG1 tick\n${values}IG1 tock\n${list}${apps}\nIG1 apps\n${reply}IG1 asked\n`,
  );
}

describe("The processes that hold memory of GPUs", () => {
  it("are named with their GPU, owner, and model, also while values are reported between the lines", () => {
    const { frames, stream } = processesOf(
      "GPU-a, 11, 70000, VLLM::EngineCore\n0, 6, 100, 81559, 30, 70, NVIDIA H100\nGPU-b, 12, 900, /usr/bin/python3\n",
      "IG1 process 11 alice VLLM::EngineCore\nIG1 process 11 alice /opt/venv/bin/python vllm serve /m/Qwen2.5-7B --api-key secret\nIG1 process 12 me python3 -u /home/me/train.py --lr 1\nIG1 requests 123 45\nIG1 me me\n",
    );
    assert.equal(stream.takeQuestion(), "ask 11 12");
    assert.deepEqual(frames.at(-1)?.processes, [
      {
        ...{ pid: 11, gpu: 0, memoryMiB: 70_000, name: "VLLM::EngineCore", user: "alice", isOwn: false },
        model: "Qwen2.5-7B",
      },
      { pid: 12, gpu: 1, memoryMiB: 900, name: "train.py", user: "me", isOwn: true, model: undefined },
    ]);
    assert.equal(frames.at(-1)?.requests, "123 45");
    assert.doesNotMatch(JSON.stringify(frames), /secret/);
  });

  it("of other containers keep their number only, whatever has this number here", () => {
    const { frames } = processesOf(
      "GPU-a, 11, [N/A], [Not Found]\n",
      "IG1 process 11 root sshd\nIG1 me root\n",
    );
    assert.deepEqual(frames.at(-1)?.processes, [
      {
        ...{ pid: 11, gpu: 0, memoryMiB: undefined, name: undefined, user: undefined, isOwn: false },
        model: undefined,
      },
    ]);
  });

  it("serve the model that their command lines name in any of the usual ways", () => {
    const commands: Readonly<Record<string, string | undefined>> = {
      "python -m vllm.entrypoints.openai.api_server --model a/b --served-model-name chat": "chat",
      "python3 -m sglang.launch_server --model-path=org/Llama": "Llama",
      "/usr/bin/llama-server -m /models/q4.gguf -c 4096": "q4.gguf",
      "/usr/bin/ollama runner --model /blobs/sha256-77 --port 4000": "",
      "text-generation-launcher --model-id org/M": "M",
      "vllm serve": "",
      "python -m train --model a/b": undefined,
    };
    for (const [command, model] of Object.entries(commands)) {
      const { frames } = processesOf("GPU-a, 11, 5, python\n", `IG1 process 11 me ${command}\nIG1 me me\n`);
      assert.equal(frames.at(-1)?.processes?.[0]?.model, model, command);
    }
  });

  it("are none only if the list is complete and empty", () => {
    assert.deepEqual(processesOf("", "").frames.at(-1)?.processes, []);
    const { frames } = readGpuStream("IG1 begin\nIG1 tick\n0, 5, 1, 2, 3, 4, A\nIG1 tock\n");
    assert.equal(frames[0]?.processes, undefined);
  });
});

describe("A machine with GPUs of several kinds", () => {
  it("shows those of all vendors, and the memory of the machine for a GPU that shares it", () => {
    const amd = JSON.stringify([{ gpu: 0, usage: { gfx_activity: 7 } }]);
    const { frames } = readGpuStream(
      `IG1 begin\nIG1 tick\nIG1 host 5.1 9 9 131072000 65536000\nIG1 tool nvidia-smi\n0, 3, [N/A], [N/A], 44, 11, NVIDIA GB10\nIG1 tool amd-smi\n${amd}\nIG1 tock\n`,
    );
    assert.deepEqual(
      frames[0]?.samples.map(
        ({ tool, utilizationPercent, memoryUsedMiB, memoryTotalMiB, isMemoryShared }) => [
          ...[tool, utilizationPercent, memoryUsedMiB, memoryTotalMiB, isMemoryShared],
        ],
      ),
      [
        ["nvidia-smi", 3, 64_000, 128_000, true],
        ["amd-smi", 7, undefined, undefined, undefined],
      ],
    );
  });

  it("ignores nvidia-smi on a Jetson, where it reports no values", () => {
    const { frames } = readGpuStream(
      "IG1 begin\nIG1 tick\nIG1 tool nvidia-smi\n0, [N/A], [N/A], [N/A], [N/A], [N/A], Orin (nvgpu)\nIG1 tool tegrastats\nRAM 100/200MB (lfb 1x4MB) CPU [0%@1] GR3D_FREQ @[0,0] gpu@50C\nIG1 tock\n",
    );
    assert.deepEqual(
      frames[0]?.samples.map(({ memoryUsedMiB, utilizationPercent }) => [memoryUsedMiB, utilizationPercent]),
      [[100, undefined]],
    );
  });

  it("never shows what can't be true", () => {
    const { frames, stream } = readGpuStream("IG1 begin\n0, 250, 19968, 15360, 900, 4294967.29, NVIDIA T4\n");
    stream.flush();
    assert.deepEqual(frames[0]?.samples[0], {
      ...{ index: 0, name: "NVIDIA T4", utilizationPercent: undefined, memoryUsedMiB: undefined },
      ...{ memoryTotalMiB: undefined, temperatureC: undefined, powerW: undefined },
    });
  });

  it("names a tool that fails beside one that works, and GPUs that the driver has lost", () => {
    const { frames } = readGpuStream(
      "IG1 begin\nIG1 tick\nIG1 tool nvidia-smi\n0, 5, 1, 2, 3, 4, A\n1, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], A\n3, 5, 1, 2, 3, 4, A\nIG1 tool npu-smi\nDrvMngGetConsoleLogLevel failed\nIG1 tock\n",
    );
    assert.deepEqual(frames[0]?.lost, [
      { index: 1, bus: undefined },
      { index: 2, bus: undefined },
    ]);
    assert.deepEqual(frames[0].failed, [{ tool: "npu-smi", words: "DrvMngGetConsoleLogLevel failed\n" }]);
  });
});
