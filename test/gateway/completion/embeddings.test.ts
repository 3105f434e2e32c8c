import assert from "node:assert/strict";
import { requestEmbeddings, parseEmbeddings } from "../../../src/gateway/completion/embeddings.ts";
import { quantize, similarity } from "../../../src/core/library/meaning/passages.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { failureOf, Harness } from "../http/transportHarness.ts";

describe("Embeddings", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  it("from the local gateway are the same for the same text, and similar for texts with common words", async () => {
    const gateway = await startLocalGateway({ port: 0 });
    try {
      const options = {
        baseUrl: gateway.inferenceBaseUrl,
        transport: harness.transport(),
        readApiKey: () => Promise.resolve(gateway.credentials.apiKey),
        timeoutMs: () => 5_000,
        userAgent: "inference-gateway-test",
        allowInsecureHttp: false,
      };
      const ask = (texts: readonly string[], model = "demo-lab/embedder") =>
        requestEmbeddings(options, model, texts, new AbortController().signal);
      const texts = [
        "Renew the certificate of the server",
        "The server's certificate was renewed",
        "Bake a cake",
      ];
      const { vectors, usage } = await ask(texts);
      assert.ok((usage?.promptTokens ?? 0) > 5);
      assert.deepEqual(await ask(texts), { vectors, usage });
      const [first, near, far] = vectors.map((vector) => quantize(vector) ?? assert.fail());
      assert.ok(first !== undefined && near !== undefined && far !== undefined);
      assert.ok(similarity(first, near) > similarity(first, far) + 0.2);
      const error = await failureOf(ask(["x"], "demo-lab/echo"));
      assert.equal(error.reason, "unknownModel");
    } finally {
      await gateway.stop();
    }
  });

  it("are returned in the order of the texts, and rejected unless there is one of the same length for each", () => {
    const list = (...data: readonly unknown[]) => ({ data, usage: { prompt_tokens: 3, total_tokens: 3 } });
    const second = { index: 1, embedding: [3, 4] };
    assert.deepEqual(parseEmbeddings(list(second, { index: 0, embedding: [1, 2] }), 2), {
      vectors: [
        [1, 2],
        [3, 4],
      ],
      usage: { promptTokens: 3, totalTokens: 3 },
    });
    for (const wrong of [
      undefined,
      {},
      list(second),
      list(second, second),
      list(second, { index: 0, embedding: [1] }),
      list(second, { index: 0, embedding: ["1", 2] }),
      list(second, { index: 0, embedding: "AAAA" }),
    ])
      assert.equal(parseEmbeddings(wrong, 2), undefined);
  });
});
