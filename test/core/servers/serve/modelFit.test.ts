import assert from "node:assert/strict";
import type { GpuSample } from "../../../../src/core/servers/gpu/gpuReadings.ts";
import {
  fitModel,
  fitText,
  shapeOfConfig,
  shapeOfGguf,
  unknownShape,
} from "../../../../src/core/servers/serve/modelFit.ts";

const gib = 2 ** 30;
const llama8 = shapeOfConfig({
  ...{ num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, hidden_size: 4096 },
  max_position_embeddings: 131_072,
});
const llama70 = shapeOfConfig({
  ...{ num_hidden_layers: 80, num_attention_heads: 64, num_key_value_heads: 8, hidden_size: 8192 },
  max_position_embeddings: 131_072,
});
const qwen7 = shapeOfConfig({
  ...{ num_hidden_layers: 28, num_attention_heads: 28, num_key_value_heads: 4, hidden_size: 3584 },
  ...{ sliding_window: 131_072, use_sliding_window: false, max_position_embeddings: 32_768 },
});

function gpu(index: number, usedGib: number, totalGib: number): GpuSample {
  return {
    ...{ index, name: "NVIDIA H100", utilizationPercent: 0, temperatureC: 40, powerW: 100 },
    ...{ memoryUsedMiB: usedGib * 1_024, memoryTotalMiB: totalGib * 1_024 },
  };
}

describe("Whether a model fits", () => {
  it("counts the memory for each token of the context as the models need it", () => {
    assert.deepEqual(
      [llama8, llama70, qwen7].map(({ bytesPerToken = 0 }) => bytesPerToken / 1_024),
      [128, 320, 56],
    );
    // 8,192 tokens of Llama 3.1 8B are 1 GiB, and 131,072 are 16.
    assert.equal(((llama8.bytesPerToken ?? 0) * 131_072) / gib, 16);
    assert.deepEqual([llama8.isAtMost, qwen7.isAtMost], [false, false]);
  });

  it("says that a window or a latent cache needs less at most", () => {
    const base = { num_hidden_layers: 48, num_attention_heads: 16, num_key_value_heads: 8, head_dim: 256 };
    assert.equal(shapeOfConfig({ ...base, sliding_window: 1_024 }).isAtMost, true);
    assert.equal(shapeOfConfig({ ...base, kv_lora_rank: 512 }).isAtMost, true);
    // The part for text of a model for images.
    assert.equal(shapeOfConfig({ text_config: base, vision_config: {} }).bytesPerToken, 2 * 48 * 8 * 256 * 2);
    for (const odd of [undefined, [], "x", {}, { num_hidden_layers: "32" }, { num_hidden_layers: -1 }])
      assert.equal(shapeOfConfig(odd).bytesPerToken, undefined);
  });

  it("chooses the share of the memory that is free now, for vLLM takes all of it at once", () => {
    const bytes = 8.03e9 * 2;
    assert.equal((bytes / gib).toFixed(2), "14.96");
    const free = fitModel(bytes, llama8, [gpu(0, 0, 80)], undefined);
    assert.deepEqual([free.verdict, free.utilization, free.context], ["fits", 0.9, 32_768]);
    // 31.44 of 47.38 GiB are free: 0.95 would fail at once.
    const shared = fitModel(bytes, llama8, [gpu(0, 15.94, 47.38)], undefined);
    assert.deepEqual([shared.verdict, shared.utilization], ["fits", 0.64]);
    const tight = fitModel(bytes, llama8, [gpu(0, 4, 24)], undefined);
    assert.equal(tight.verdict, "tight");
    assert.ok(tight.context < 32_768 && tight.context >= 2_048 && tight.context % 1_024 === 0);
    assert.equal(fitModel(bytes, llama8, [gpu(0, 0, 16)], undefined).verdict, "tooLarge");
  });

  it("uses the fewest GPUs that suffice, the freest ones, in a number that divides the heads", () => {
    const eight = [70, 71, 0, 72, 1, 73, 2, 3].map((used, index) => gpu(index, used, 80));
    const one = fitModel(15 * gib, llama8, eight, undefined);
    assert.deepEqual([one.verdict, one.gpus], ["fits", [2]]);
    const two = fitModel(141 * gib, llama70, eight, undefined);
    assert.deepEqual([two.verdict, two.gpus], ["fits", [2, 4, 6, 7]]);
    // 28 heads can't be divided by eight.
    const wide = fitModel(500 * gib, qwen7, eight, undefined);
    assert.deepEqual([wide.verdict, wide.gpus.length], ["tooLarge", 4]);
  });

  it("names the GPU and who holds the memory", () => {
    const busy = [gpu(7, 71, 80)];
    const fit = fitModel(38 * gib, llama8, busy, undefined);
    const holder = {
      ...{ pid: 1, gpu: 7, memoryMiB: 70 * 1_024, name: "train.py", user: "alice", isOwn: false },
      model: undefined,
    };
    assert.match(
      fitText(fit, [holder], false),
      /^too large: needs about 39\.8 GiB \(9 GiB free on GPU 7; train\.py of alice holds 70 GiB\)$/,
    );
    assert.equal(
      fitText(fitModel(14 * gib, qwen7, [gpu(7, 9, 80)], undefined), [], false),
      "fits (71 GiB free on GPU 7)",
    );
  });

  it("claims nothing about a GPU that doesn't report its memory, is lost, or is split", () => {
    const silent = { ...gpu(0, 0, 80), memoryUsedMiB: undefined };
    const split = { ...gpu(0, 0, 80), instances: [] };
    for (const sample of [silent, split, { ...gpu(0, 0, 80), isLost: true }]) {
      const fit = fitModel(gib, llama8, [sample], 100);
      assert.deepEqual([fit.verdict, fitText(fit, [], false)], ["unknown", "free memory unknown"]);
    }
    // Without a GPU, the memory of the machine counts.
    assert.deepEqual(fitModel(gib, unknownShape, [], 16).verdict, "fits");
    assert.deepEqual(fitModel(20 * gib, unknownShape, [], 16).verdict, "tooLarge");
  });

  it("reads a GGUF file's own numbers, and survives anything else", () => {
    const text = (value: string): Buffer => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
      return Buffer.concat([length, Buffer.from(value)]);
    };
    const u32 = (value: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value);
      return bytes;
    };
    const number = (name: string, value: number): Buffer => Buffer.concat([text(name), u32(4), u32(value)]);
    const file = Buffer.concat([
      ...[Buffer.from("GGUF"), u32(3), Buffer.alloc(16)],
      ...[text("general.name"), u32(8), text("Llama")],
      ...[text("general.tags"), u32(9), u32(4), Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), u32(1), u32(2)],
      ...[
        text("general.languages"),
        u32(9),
        u32(8),
        Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]),
        text("en"),
        text("de"),
      ],
      ...[number("llama.block_count", 32), number("llama.context_length", 8_192)],
      ...[number("llama.embedding_length", 4_096), number("llama.attention.head_count", 32)],
      ...[number("llama.attention.head_count_kv", 8), text("tokenizer.ggml.tokens").subarray(0, 20)],
    ]);
    const shape = shapeOfGguf(file.toString("hex"));
    assert.deepEqual([shape.bytesPerToken, shape.maxContext, shape.isAtMost], [131_072, 8_192, false]);
    for (let cut = 0; cut < file.length; cut += 7) shapeOfGguf(file.subarray(0, cut).toString("hex"));
    const hostile = Buffer.concat([Buffer.from("GGUF"), u32(3), Buffer.alloc(16), Buffer.alloc(400, 255)]);
    for (const odd of ["", "zz", "47475546", hostile.toString("hex"), "00".repeat(3_000)])
      assert.equal(shapeOfGguf(odd).bytesPerToken, undefined);
  });
});
