import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { ExchangeTable } from "../../../src/storage/records/exchangeTable.ts";
import { createAttempt, createExchange } from "../../support/exchanges.ts";
import { RecordsFolder } from "../../support/recordsFolder.ts";

describe("Exchanges on disk", () => {
  let folder: RecordsFolder;
  beforeEach(() => (folder = new RecordsFolder()));
  afterEach(() => folder.remove());

  const open = (): ExchangeTable => new ExchangeTable(folder.open());
  const of = (conversationId: string, messageId: string) => ({
    ...{ id: `${conversationId} ${messageId}`, conversationId, messageId },
  });
  const load = async (exchanges: ExchangeTable, conversationId: string, messageId: string) =>
    (await exchanges.ofMessage(conversationId, messageId)).map(({ exchange }) => exchange);
  const limits = (rows: number, bytes: number) => ({
    conversation: { rows, bytes },
    request: { rows: 100, bytes: 1_000_000 },
  });

  async function count(): Promise<unknown> {
    return folder
      .open()
      .attempt(({ database }) => database.prepare("SELECT count(*) AS count FROM exchange").get()?.["count"]);
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
    await open().save(of("c", "m"), exchange);
    assert.deepEqual(await load(open(), "c", "m"), [exchange]);
    assert.deepEqual(await open().find("c m"), { owner: of("c", "m"), exchange });
  });

  it("are empty if nothing was stored", async () => {
    assert.deepEqual(await load(open(), "c", "m"), []);
    assert.equal(await open().find("c m"), undefined);
  });

  it("can have any ID, and requests of no conversation aren't mistaken for theirs", async () => {
    const exchanges = open();
    const id = "../../outside'; DROP TABLE exchange; --";
    await exchanges.save({ id, conversationId: id, messageId: "m" }, createExchange());
    await exchanges.save({ id: "alone" }, createExchange());
    assert.equal((await load(exchanges, id, "m")).length, 1);
    assert.deepEqual((await exchanges.find("alone"))?.owner, { id: "alone" });
    assert.deepEqual(await load(exchanges, "", ""), []);
  });

  it("are deleted with their conversation, however many there are", async () => {
    const exchanges = open();
    for (let id = 0; id < 45; id++) await exchanges.save(of("a", `m${id}`), createExchange());
    await exchanges.save(of("b", "m"), createExchange());
    await exchanges.deleteConversation("a");
    assert.equal(await count(), 1);
    assert.equal((await load(exchanges, "b", "m")).length, 1);
  });

  it("are removed from the oldest on when there are too many", async () => {
    const exchanges = new ExchangeTable(folder.open(), limits(2, 1_000_000));
    await exchanges.save({ id: "alone" }, createExchange());
    for (const id of ["1", "2", "3", "2", "4"]) await exchanges.save(of("c", id), createExchange());
    const left = await Promise.all(["1", "2", "3", "4"].map((id) => load(exchanges, "c", id)));
    assert.deepEqual(
      left.map(({ length }) => length),
      [0, 1, 0, 1],
    );
    assert.equal(await count(), 3);
  });

  it("are removed if they are too large", async () => {
    const exchanges = new ExchangeTable(folder.open(), limits(100, 1));
    await exchanges.save(of("c", "m"), createExchange());
    assert.equal(await count(), 0);
  });

  for (const [what, data] of [
    ["aren't compressed", Buffer.from("not compressed")],
    ["aren't JSON", gzipSync("[{")],
    ["would exhaust the memory", gzipSync(`[${" ".repeat(65 * 1024 * 1024)}]`)],
  ] as const)
    it(`are left out and overwritten if they ${what}`, async () => {
      const exchanges = open();
      await exchanges.save(of("c", "m"), createExchange());
      folder.openDatabase().prepare("UPDATE exchange SET data = ?").run(data);
      assert.deepEqual(await load(exchanges, "c", "m"), []);
      await exchanges.save(of("c", "m"), createExchange());
      assert.equal((await load(exchanges, "c", "m")).length, 1);
    });

  it("lose what was sent if it is too long", async () => {
    const exchanges = open();
    const request = { ...createAttempt().request, body: "x".repeat(9 * 1024 * 1024) };
    await exchanges.save(of("c", "m"), createExchange({ attempts: [createAttempt({ request })] }));
    assert.equal((await load(exchanges, "c", "m"))[0]?.attempts[0]?.request.body, "");
  });

  it("are saved even if another program has locked the file for seconds", async () => {
    const exchanges = open();
    await load(exchanges, "c", "m");
    const program = folder.openDatabase();
    program.exec("BEGIN IMMEDIATE");
    const saved = exchanges.save(of("c", "m"), createExchange());
    await setTimeout(3_500);
    program.exec("ROLLBACK");
    await saved;
    assert.equal((await load(exchanges, "c", "m")).length, 1);
  });

  describe("with content that must not be kept anymore", () => {
    const canary = { ...createAttempt().request, body: '{"messages":["canary"]}' };
    const withContent = createExchange({ attempts: [createAttempt({ request: canary })] });

    it("lose what was sent and keep what was measured", async () => {
      const exchanges = open();
      for (let id = 0; id < 45; id++) await exchanges.save(of("c", `m${id}`), withContent);
      await exchanges.save({ id: "alone" }, withContent);
      await exchanges.deleteContent("conversation");
      const measured = {
        ...withContent,
        attempts: [createAttempt({ request: { ...canary, body: "" } })],
      };
      for (let id = 0; id < 45; id++) assert.deepEqual(await load(exchanges, "c", `m${id}`), [measured]);
      assert.deepEqual((await exchanges.find("alone"))?.exchange, withContent);
    });

    it("leave the file and its log", async () => {
      const exchanges = open();
      folder.open().attempt(() => undefined);
      // Random text is stored almost as it is, so that it can be found.
      const body = Array.from({ length: 4_000 }, (_, index) => (index * 2_654_435_761).toString(36)).join("");
      const request = { ...canary, body };
      await exchanges.save(of("c", "m"), createExchange({ attempts: [createAttempt({ request })] }));
      const [row] = folder.openDatabase().prepare("SELECT content FROM exchange").all();
      const content = row?.["content"];
      assert.ok(content instanceof Uint8Array);
      // A part that lies on one page.
      const parts = [1_000, 2_000, 3_000].map((at) => Buffer.from(content).toString("latin1", at, at + 100));
      const part = parts.find((each) => folder.filesWith(each, "latin1").length > 0) ?? assert.fail();
      assert.notDeepEqual(folder.filesWith(part, "latin1"), []);
      await exchanges.deleteContent("conversation");
      for (let tries = 0; tries < 100 && folder.filesWith(part, "latin1").length > 0; tries++)
        await setTimeout(50);
      assert.deepEqual(folder.filesWith(part, "latin1"), []);
    });
  });
});
