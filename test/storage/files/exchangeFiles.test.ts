import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExchangeFiles } from "../../../src/storage/files/exchangeFiles.ts";
import { createAttempt, createExchange } from "../../support/exchanges.ts";

describe("Exchanges on disk", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "exchanges-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function names(): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }

  it("are loaded unchanged", async () => {
    const stream = {
      firstByteMs: 1,
      lastByteMs: 2,
      firstDeltaMs: 1,
      firstTextMs: 1.5,
      bytes: 10,
      chunks: 2,
      textDeltas: 1,
      reasoningDeltas: 0,
      toolCallDeltas: 0,
      intervalMs: 100,
      intervals: [{ bytes: 10, deltas: 1, characters: 5 }],
      gaps: [{ atMs: 1, lastedMs: 1_500 }],
    };
    const error = { reason: "rateLimit", message: "Slow down.", statusCode: 429, retryAfterMs: 5 } as const;
    const exchange = createExchange({
      attempts: [
        createAttempt({
          failure: { atMs: 3, error, waitMs: 5 },
          connection: { isReused: true, proxy: "http://p" },
        }),
        createAttempt({ stream }),
      ],
    });
    await new ExchangeFiles(folder).save("c", "m", [exchange]);
    assert.deepEqual(await new ExchangeFiles(folder).load("c", "m"), [exchange]);
  });

  it("are empty if nothing was stored", async () => {
    assert.deepEqual(await new ExchangeFiles(join(folder, "nowhere")).load("c", "m"), []);
  });

  it("stay in their folder, whatever the conversation ID is", async () => {
    const files = new ExchangeFiles(folder);
    await files.save("../../outside", "/etc/passwd\0", [createExchange()]);
    assert.equal((await files.load("../../outside", "/etc/passwd\0")).length, 1);
    for (const name of await names())
      assert.match(name.slice(folder.length), /^\/[0-9a-f]{32}\/[0-9a-f]{32}\.json\.gz$/);
  });

  it("are deleted with their conversation", async () => {
    const files = new ExchangeFiles(folder);
    await files.save("a", "m", [createExchange()]);
    await files.save("b", "m", [createExchange()]);
    await files.deleteConversation("a");
    assert.deepEqual(await files.load("a", "m"), []);
    assert.equal((await files.load("b", "m")).length, 1);
  });

  it("are removed from the oldest on when there are too many", async () => {
    const files = new ExchangeFiles(folder, { files: 2, bytes: 1_000_000 });
    for (const [index, id] of ["1", "2", "3"].entries()) {
      const before = new Set(await names());
      await files.save("c", id, [createExchange()]);
      const fresh = (await names()).find((name) => !before.has(name)) ?? "";
      await utimes(fresh, 1_000 + index, 1_000 + index);
    }
    await files.tidy();
    assert.equal((await names()).length, 2);
    assert.deepEqual(await files.load("c", "1"), []);
  });

  it("are removed if they are too large", async () => {
    const files = new ExchangeFiles(folder, { files: 100, bytes: 1 });
    await files.save("c", "m", [createExchange()]);
    assert.deepEqual(await names(), []);
  });

  it("that are damaged are reported and overwritten", async () => {
    const files = new ExchangeFiles(folder);
    await files.save("c", "m", [createExchange()]);
    const [name = ""] = await names();
    await writeFile(name, "not compressed");
    await assert.rejects(files.load("c", "m"));
    await files.save("c", "m", [createExchange()]);
    assert.equal((await files.load("c", "m")).length, 1);
  });

  describe("with content that must not be kept anymore", () => {
    const canary = { ...createAttempt().request, body: '{"messages":["canary"]}' };
    const withContent = createExchange({ attempts: [createAttempt({ request: canary })] });
    const old = new Date(Date.now() - 3_600_000);

    async function fill(): Promise<ExchangeFiles> {
      const files = new ExchangeFiles(folder);
      await files.save("c", "m", [withContent]);
      for (const name of await names()) await utimes(name, old, old);
      await files.save("c", "damaged", [withContent]);
      const [damaged = ""] = (await names()).filter((name) => name.endsWith(".gz")).slice(-1);
      await writeFile(join(damaged, "..", "draft.json.gz.4711"), "canary");
      return files;
    }

    it("lose what was sent and keep what was measured, and no draft of a killed window is left", async () => {
      const files = await fill();
      await files.deleteContent(true);
      const [exchange] = await files.load("c", "m");
      assert.equal(exchange?.attempts[0]?.request.body, "");
      assert.deepEqual(exchange, {
        ...withContent,
        attempts: [createAttempt({ request: { ...canary, body: "" } })],
      });
      assert.ok((await names()).every((name) => !/\.gz\.\d/.test(name)));
      const times = await Promise.all((await names()).map(async (name) => (await stat(name)).mtimeMs));
      assert.ok(times.some((time) => Math.abs(time - old.getTime()) < 2_000));
    });

    it("are deleted if they can't be read", async () => {
      const files = await fill();
      for (const name of await names()) await writeFile(name, "canary");
      await files.deleteContent(true);
      const left = (await names()).filter((name) => name.endsWith(".gz"));
      assert.deepEqual(left, []);
    });

    it("aren't read a second time unless content was saved since, or the setting has just changed", async () => {
      const files = await fill();
      await files.deleteContent(false);
      const [name = ""] = (await names()).filter((one) => one.endsWith(".gz"));
      await writeFile(name, "not read");
      await files.deleteContent(false);
      assert.equal(await readFile(name, "utf8"), "not read");
      await files.save("c", "other", [withContent]);
      await files.deleteContent(false);
      assert.equal((await files.load("c", "other"))[0]?.attempts[0]?.request.body, "");
      await assert.rejects(readFile(name), /ENOENT/);
    });

    it("aren't required to exist", async () => {
      await new ExchangeFiles(join(folder, "nowhere")).deleteContent(true);
    });
  });
});
