import assert from "node:assert/strict";
import { once } from "node:events";
import * as zlib from "node:zlib";
import { failureOf, get, Harness, readText } from "./transportHarness.ts";

describe("Compressed bodies", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  const text = "data: häppchen\n\n".repeat(5_000);
  const encodings: readonly (readonly [name: string, bytes: Buffer])[] = [
    ["gzip", zlib.gzipSync(text)],
    ["deflate", zlib.deflateSync(text)],
    ["deflate", zlib.deflateRawSync(text)],
    ["br", zlib.brotliCompressSync(text)],
    ["zstd", zlib.zstdCompressSync(text)],
    ["deflate, gzip", zlib.gzipSync(zlib.deflateSync(text))],
    ["identity", Buffer.from(text)],
  ];

  for (const [name, bytes] of encodings) {
    it(`with encoding ${name} are decoded`, async () => {
      const server = await harness.server((_, response) =>
        response.writeHead(200, { "content-encoding": name }).end(bytes),
      );
      assert.equal(await readText(await harness.transport().request(get(server.url))), text);
    });
  }

  const streams = [
    ["gzip", zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
    ["br", zlib.createBrotliCompress(), zlib.constants.BROTLI_OPERATION_FLUSH],
    ["zstd", zlib.createZstdCompress(), zlib.constants.ZSTD_e_flush],
  ] as const;
  for (const [name, encoder, flush] of streams) {
    it(`with encoding ${name} yield each event when it arrives, not when the block is full`, async () => {
      const server = await harness.server((_, response) => {
        response.writeHead(200, { "content-encoding": name });
        encoder.pipe(response);
        encoder.write("data: first\n\n");
        encoder.flush(flush);
      });
      const response = await harness.transport().request(get(server.url));
      const [chunk] = (await once(response.body, "data")) as [Buffer];
      assert.equal(chunk.toString(), "data: first\n\n");
      encoder.end("data: second\n\n");
      assert.equal(await readText(response), "data: second\n\n");
    });
  }

  it("that were cut off keep everything received", async () => {
    const whole = zlib.gzipSync(text);
    const server = await harness.server((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(whole.subarray(0, whole.length - 12)),
    );
    const kept = await readText(await harness.transport().request(get(server.url)));
    assert.ok(kept.length > 0 && text.startsWith(kept));
  });

  it("without content yield nothing", async () => {
    const server = await harness.server((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(),
    );
    assert.equal(await readText(await harness.transport().request(get(server.url))), "");
  });

  for (const name of ["gzip", "martian", "gzip, gzip, gzip, gzip, gzip, gzip"]) {
    it(`that can't be decoded (${name}) are reported as malformed`, async () => {
      const server = await harness.server((_, response) =>
        response.writeHead(200, { "content-encoding": name }).end("this is no such thing"),
      );
      const response = await harness.transport().request(get(server.url));
      assert.equal((await failureOf(readText(response))).reason, "malformed");
    });
  }

  it("close the socket on stop, even between two events", async () => {
    const encoder = zlib.createGzip();
    const server = await harness.server((_, response) => {
      encoder.pipe(response.writeHead(200, { "content-encoding": "gzip" }));
      encoder.write("x");
      encoder.flush();
    });
    const controller = new AbortController();
    const response = await harness.transport().request(get(server.url, { signal: controller.signal }));
    await once(response.body, "data");
    controller.abort(new Error("stopped"));
    await assert.rejects(readText(response), /stopped/);
    await server.socketClosed();
  });

  it("close the socket when the reader stops reading", async () => {
    const server = await harness.server((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).write(zlib.gzipSync(text).subarray(0, 20)),
    );
    const response = await harness.transport().request(get(server.url));
    response.body.destroy();
    await server.socketClosed();
  });

  it("let a slow reader pause the server", async () => {
    const size = 16 * 1024 * 1024;
    const bytes = zlib.gzipSync(Buffer.alloc(size), { level: 1 });
    const server = await harness.server((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bytes),
    );
    const { body } = await harness.transport().request(get(server.url));
    await once(body, "readable");
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(body.readableLength < 1024 * 1024, `${body.readableLength} bytes were held`);
    let length = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) length += chunk.byteLength;
    assert.equal(length, size);
  });
});
