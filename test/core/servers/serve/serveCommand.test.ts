import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fitModel, unknownShape } from "../../../../src/core/servers/serve/modelFit.ts";
import type { ModelFit } from "../../../../src/core/servers/serve/modelFit.ts";
import {
  curedCommand,
  exposureOf,
  freePortOf,
  pairsOf,
  portOfCommand,
  serveCommand,
} from "../../../../src/core/servers/serve/serveCommand.ts";
import type { ServeRemedy } from "../../../../src/core/servers/serve/serveFailure.ts";
import type { DiskModel, Runtime, RuntimeKind } from "../../../../src/core/servers/serve/serveProbe.ts";

const fit: ModelFit = {
  ...{ verdict: "fits", gpus: [7], free: 71, needs: 20, context: 32_768, utilization: 0.87 },
};
const runtime = (kind: RuntimeKind, program: string): Runtime => ({ kind, program, version: "" });
const model = (name: string, source: DiskModel["source"], path = ""): DiskModel => ({
  ...{ name, source, path, bytes: 2 ** 30, isPartial: false, shape: unknownShape },
});
const vllm = runtime("vllm", "/home/u/.venv/bin/vllm");
const llama = runtime("llama.cpp", "/opt/llama.cpp/build/bin/llama-server");
const qwen = model(
  "Qwen/Qwen2.5-7B-Instruct",
  "hub",
  "/home/u/.cache/huggingface/hub/models--Qwen/snapshots/a",
);
const none = { tokens: undefined, share: undefined };

const commandOf = (program: Runtime, what: DiskModel, port = 8000, how = fit): string =>
  serveCommand({ runtime: program, model: what, fit: how, port });

/** The words that a real shell makes of a command, and nothing else happens. */
function wordsOf(command: string): readonly string[] {
  const plain = command.replace(/^(?:env )?(?:[A-Z_]+=[\w.:]+ )+/, "");
  return execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${plain}`], { cwd: "/" })
    .toString()
    .split("\0")
    .slice(0, -1);
}

describe("The command that serves a model", () => {
  it("listens on the server itself only, and contains no key", () => {
    assert.equal(
      commandOf(vllm, qwen),
      "env CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=7 /home/u/.venv/bin/vllm serve Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1 --port 8000 --max-model-len 32768 --gpu-memory-utilization 0.87",
    );
    assert.match(commandOf(vllm, qwen, 8001, { ...fit, gpus: [0, 1] }), / --tensor-parallel-size 2$/);
    assert.equal(
      commandOf(llama, model("gemma-3-4b-Q4_K_M", "gguf", "/models/gemma-3-4b-Q4_K_M.gguf"), 8080),
      "env CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=7 /opt/llama.cpp/build/bin/llama-server -m /models/gemma-3-4b-Q4_K_M.gguf --alias gemma-3-4b-Q4_K_M --host 127.0.0.1 --port 8080 -c 32768 -ngl 99",
    );
    assert.match(
      commandOf(runtime("ollama", "/usr/bin/ollama"), model("llama3.3:70b", "ollama"), 11_435),
      / OLLAMA_HOST=127\.0\.0\.1:11435 OLLAMA_CONTEXT_LENGTH=32768 \/usr\/bin\/ollama serve$/,
    );
    for (const program of [vllm, llama, runtime("ollama", "/usr/bin/ollama")]) {
      const command = commandOf(program, qwen);
      assert.equal(exposureOf(command), undefined, command);
      assert.equal(portOfCommand(command, 1), 8000, command);
      const cured = curedCommand(command, "vllm", 8000, { ...none, kind: "port" });
      assert.equal(portOfCommand(cured?.command ?? "", 1), 8001, command);
    }
    // On the processors alone, nothing is said about GPUs.
    const onProcessors = fitModel(1, unknownShape, [], 16);
    assert.doesNotMatch(commandOf(llama, qwen, 8080, onProcessors), /CUDA|-ngl/);
  });

  it("stays one word for each value, whatever a model is called", () => {
    const names = [
      "it's",
      'a "b"',
      "$(touch /tmp/x)",
      "`id`",
      "a;b",
      "a\\b",
      "ü 模型",
      "-x",
      "a&&b",
      "*",
      "~",
    ];
    for (const name of names) {
      const path = `/models/${name}.gguf`;
      const words = wordsOf(commandOf(llama, model(name, "gguf", path)));
      assert.equal(words[words.indexOf("-m") + 1], path);
      // A name that a program could take for an option isn't passed at all.
      assert.equal(words.includes("--alias"), false);
      const served = wordsOf(commandOf(vllm, model(name, "folder", `/models/${name}`)));
      assert.equal(served[served.indexOf("serve") + 1], `/models/${name}`);
    }
  });

  it("says when an edited command can be reached from elsewhere", () => {
    const command = commandOf(vllm, qwen);
    for (const open of [
      command.replace("127.0.0.1", "0.0.0.0"),
      command.replace(" --host 127.0.0.1", ""),
      "/usr/bin/ollama serve",
      "OLLAMA_HOST=0.0.0.0:11434 ollama serve",
    ])
      assert.notEqual(exposureOf(open), undefined, open);
  });

  it("changes what may cure a failure, and leaves the rest as the user wrote it", () => {
    const cure = (command: string, remedy: Partial<ServeRemedy>): string | undefined =>
      curedCommand(command, "vllm", 8000, { ...none, kind: "context", ...remedy })?.command;
    assert.equal(cure("x --max-model-len 32768 --b 'c d'", {}), "x --max-model-len 16384 --b 'c d'");
    assert.equal(cure("x --max-model-len=9 -b", { tokens: 5 }), "x --max-model-len=5 -b");
    assert.equal(cure("x", { kind: "half" }), "x --dtype half");
    assert.equal(cure("x", { kind: "share", share: 0.64 }), "x --gpu-memory-utilization 0.64");
    assert.equal(cure("x", { kind: "share" }), undefined);
  });

  it("takes a port on which nothing listens", () => {
    assert.equal(freePortOf({ taken: new Set([8000, 8001]) }, { kind: "vllm" }), 8002);
    const probe = { home: "", endpoints: [], taken: new Set<number>(), gpus: undefined, memoryGib: 1 };
    const pairs = pairsOf({
      ...probe,
      models: [qwen, model("a", "gguf", "/a.gguf")],
      runtimes: [vllm, llama],
    });
    assert.deepEqual(
      pairs.map(({ model: { name }, runtime: { program } }) => [name, program]),
      [
        [qwen.name, vllm.program],
        ["a", llama.program],
      ],
    );
  });
});
