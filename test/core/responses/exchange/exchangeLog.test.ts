import assert from "node:assert/strict";
import type { Exchange } from "../../../../src/core/responses/exchange/exchange.ts";
import type {
  ExchangeOwner,
  ExchangeStore,
  KeptExchange,
} from "../../../../src/core/responses/exchange/exchangeLog.ts";
import { ExchangeLog } from "../../../../src/core/responses/exchange/exchangeLog.ts";
import { ServiceError } from "../../../../src/core/kernel/errors.ts";

class MemoryStore implements ExchangeStore {
  /** By the IDs of usage records. */
  readonly kept = new Map<string, KeptExchange>();
  isBroken = false;

  async find(id: string): Promise<KeptExchange | undefined> {
    if (this.isBroken) throw new Error("The disk is gone.");
    return this.kept.get(id);
  }

  async ofMessage(conversationId: string, messageId: string): Promise<readonly KeptExchange[]> {
    if (this.isBroken) throw new Error("The disk is gone.");
    return [...this.kept.values()].filter(
      ({ owner }) => owner.conversationId === conversationId && owner.messageId === messageId,
    );
  }

  async save(owner: ExchangeOwner, exchange: Exchange): Promise<void> {
    if (this.isBroken) throw new Error("The disk is full.");
    this.kept.set(owner.id, { owner, exchange });
  }
}

function createSent(body = "{}") {
  return { method: "POST", url: "https://inference.example/v1", headers: {}, body };
}

describe("The exchange log", () => {
  let store: MemoryStore;
  let log: ExchangeLog;
  let clock: number;
  let errors: unknown[];
  let records: number;

  beforeEach(() => {
    store = new MemoryStore();
    clock = 0;
    errors = [];
    records = 0;
    log = new ExchangeLog({
      store,
      now: () => 1_000_000,
      monotonic: () => clock,
      reportError: (error) => errors.push(error),
    });
  });

  const ownerOf = (messageId: string) => ({ id: `r${++records}`, conversationId: "c", messageId });

  it("keeps everything except the content if the user doesn't want it kept", async () => {
    log = new ExchangeLog({
      store,
      now: () => 1_000_000,
      monotonic: () => clock,
      reportError: (error) => errors.push(error),
      keepsContent: () => false,
    });
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent('{"messages":["canary"]}'));
    recorder.onEnd("complete");
    const [exchange] = await log.ofMessage("c", "m");
    assert.deepEqual(exchange?.attempts[0]?.request, createSent(""));
    await log.flush();
    assert.doesNotMatch(JSON.stringify([...store.kept]), /canary/);
  });

  it("shows no content that was kept once the user doesn't want it kept anymore", async () => {
    let keepsContent = true;
    log = new ExchangeLog({
      store,
      now: () => 1_000_000,
      monotonic: () => clock,
      reportError: (error) => errors.push(error),
      keepsContent: () => keepsContent,
    });
    const send = async (): Promise<void> => {
      const recorder = log.record(ownerOf("m"), "organization/model");
      recorder.onRequest(createSent('{"messages":["canary"]}'));
      recorder.onEnd("complete");
      await log.flush();
    };
    await send();
    assert.match(JSON.stringify([...store.kept]), /canary/);
    keepsContent = false;
    assert.doesNotMatch(JSON.stringify(await log.ofMessage("c", "m")), /canary/);
    assert.doesNotMatch(JSON.stringify(await log.find("r1")), /canary/);
    await send();
    assert.doesNotMatch(JSON.stringify(store.kept.get("r2")), /canary/);
  });

  it("keeps no credential that a message contains if it is to be masked", async () => {
    log = new ExchangeLog({
      store,
      now: () => 1_000_000,
      monotonic: () => clock,
      reportError: (error) => errors.push(error),
      mask: (body) => body.replaceAll("canary-key", "[redacted]"),
    });
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent('{"messages":["My key is canary-key."]}'));
    recorder.onEnd("complete");
    await log.flush();
    const { exchange } = store.kept.get("r1") ?? {};
    assert.equal(exchange?.attempts[0]?.request.body, '{"messages":["My key is [redacted]."]}');
  });

  it("keeps the requests of a response with their timestamps, in memory and on disk", async () => {
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent());
    recorder.onConnection({ isReused: true });
    clock = 5;
    recorder.onHead({ statusCode: 200, headers: {} });
    clock = 7;
    recorder.onBytes(10);
    recorder.onEvent({ type: "text", text: "Hi" });
    recorder.onEvent({ type: "usage", usage: { completionTokens: 1 } });
    recorder.onEvent({ type: "finish", reason: "stop" });
    clock = 9;
    recorder.onEnd("complete");
    const [exchange] = await log.ofMessage("c", "m");
    assert.equal(exchange?.outcome, "complete");
    assert.equal(exchange.endMs, 9);
    assert.equal(exchange.finishReason, "stop");
    assert.deepEqual(exchange.usage, { completionTokens: 1 });
    const [attempt] = exchange.attempts;
    assert.equal(attempt?.headMs, 5);
    assert.equal(attempt.stream?.firstDeltaMs, 7);
    await log.flush();
    assert.deepEqual(store.kept.get("r1")?.exchange, exchange);
  });

  it("can be read while the store is locked", async () => {
    let unlock: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => (unlock = resolve));
    const { save } = store;
    store.save = async (...exchanges) => {
      await locked;
      await save.call(store, ...exchanges);
    };
    for (const id of ["m", "n"]) {
      const recorder = log.record(ownerOf(id), "organization/model");
      recorder.onRequest(createSent());
      recorder.onEnd("complete");
    }
    assert.equal((await log.ofMessage("c", "n")).length, 1);
    assert.equal(store.kept.size, 0);
    unlock();
    await log.flush();
    assert.equal(store.kept.size, 2);
  });

  it("can be read while the response is still streaming", async () => {
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent());
    clock = 50;
    const [exchange] = await log.ofMessage("c", "m");
    assert.equal(exchange?.outcome, "streaming");
    assert.equal(exchange.endMs, 50);
  });

  it("keeps the reason for a failed attempt and the wait before the next one", async () => {
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent());
    recorder.onFailure(new ServiceError({ reason: "unavailable", message: "Busy." }), 500);
    recorder.onRequest(createSent());
    recorder.onFailure(new Error("with a secret in it"));
    recorder.onEnd("failed");
    recorder.onEnd("complete");
    const [exchange] = await log.ofMessage("c", "m");
    assert.deepEqual(
      exchange?.attempts.map(({ failure }) => [failure?.error.message, failure?.waitMs]),
      [
        ["Busy.", 500],
        ["An error in the extension; see the log.", undefined],
      ],
    );
    assert.equal(exchange?.outcome, "failed");
  });

  it("keeps all rounds of a response", async () => {
    for (const body of ["1", "2"]) {
      const recorder = log.record(ownerOf("m"), "organization/model");
      recorder.onRequest(createSent(body));
      recorder.onEnd("complete");
    }
    const bodies = (await log.ofMessage("c", "m")).map(({ attempts }) => attempts[0]?.request.body);
    assert.deepEqual(bodies, ["1", "2"]);
  });

  it("writes no images to disk, and otherwise the body as it was sent", async () => {
    const image = { url: `data:image/png;base64,${"A".repeat(1_000)}` };
    const pictured = JSON.stringify({ messages: [{ role: "user", content: [{ image_url: image }] }] });
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent(pictured));
    recorder.onRequest(createSent('{ "spaced":  1.0 }'));
    recorder.onEnd("complete");
    const [inMemory] = await log.ofMessage("c", "m");
    assert.equal(inMemory?.attempts[0]?.request.body, pictured);
    await log.flush();
    const { exchange: onDisk } = store.kept.get("r1") ?? {};
    assert.match(onDisk?.attempts[0]?.request.body ?? "", /\[750 bytes left out\]/);
    assert.equal(onDisk?.attempts[1]?.request.body, '{ "spaced":  1.0 }');
  });

  it("drops the oldest bodies from memory and reads them from disk", async () => {
    const body = "x".repeat(9 * 1024 * 1024);
    for (const id of ["old", "new"]) {
      const recorder = log.record(ownerOf(id), "organization/model");
      recorder.onRequest(createSent(body));
      recorder.onEnd("complete");
    }
    await log.flush();
    store.kept.delete("r1");
    assert.deepEqual(await log.ofMessage("c", "old"), []);
    assert.equal((await log.ofMessage("c", "new")).length, 1);
  });

  it("continues in memory if the disk fails", async () => {
    store.isBroken = true;
    const recorder = log.record(ownerOf("m"), "organization/model");
    recorder.onRequest(createSent());
    recorder.onEnd("complete");
    assert.equal((await log.ofMessage("c", "m")).length, 1);
    await log.flush();
    assert.equal(errors.length, 2);
  });

  it("finds the request of each usage record, whatever it belongs to", async () => {
    for (const owner of [{ id: "alone" }, { id: "title", conversationId: "c" }]) {
      const recorder = log.record(owner, "organization/model");
      recorder.onRequest(createSent(owner.id));
      recorder.onEnd("complete");
    }
    assert.equal((await log.find("alone"))?.attempts[0]?.request.body, "alone");
    assert.equal((await log.find("title"))?.attempts[0]?.request.body, "title");
    assert.equal(await log.find("other"), undefined);
    assert.deepEqual(await log.ofMessage("c", "m"), []);
  });
});
