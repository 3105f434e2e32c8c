import assert from "node:assert/strict";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { ServerList } from "../../../src/core/servers/server.ts";
import { ServerListState } from "../../../src/core/servers/serverListState.ts";
import type {
  ServerListSnapshot,
  ServerListRun,
  ServerSource,
} from "../../../src/core/servers/serverListState.ts";

interface Run {
  answer(list: ServerList): void;
  fail(error: unknown): void;
  isStopped: boolean;
}

/** A source that the test completes manually. */
class HandSource implements ServerSource {
  readonly runs: Run[] = [];

  list(): ServerListRun {
    let run: Run | undefined;
    const list = new Promise<ServerList>((resolve, reject) => {
      run = { answer: resolve, fail: reject, isStopped: false };
      this.runs.push(run);
    });
    return { list, stop: () => run && (run.isStopped = true) };
  }
}

const listOf = (...keys: string[]): ServerList => ({
  servers: keys.map((key) => ({ key, status: "running", record: {} })),
});
const down = new ServiceError({ reason: "unreachable", message: "Down." });
const keys = ({ servers }: ServerListSnapshot): string => servers.map(({ key }) => key).join();

function create(): { source: HandSource; list: ServerListState } {
  const source = new HandSource();
  return { source, list: new ServerListState(source, () => 1_000) };
}

describe("ServerListState", () => {
  it("is loading until the first response, so that no welcome view flashes", () => {
    const { list } = create();
    void list.refresh();
    assert.equal(list.current.state, "loading");
    assert.equal(list.current.isRefreshing, true);
  });

  it("distinguishes an empty list from a list with servers", async () => {
    const { source, list } = create();
    const first = list.refresh();
    source.runs[0]?.answer(listOf());
    await first;
    assert.equal(list.current.state, "empty");
    const second = list.refresh();
    source.runs[1]?.answer(listOf("a"));
    await second;
    assert.deepEqual([list.current.state, keys(list.current), list.current.listedAt], ["ready", "a", 1_000]);
  });

  it("keeps the last loaded rows when a refresh fails, with their age and the error", async () => {
    const { source, list } = create();
    const first = list.refresh();
    source.runs[0]?.answer(listOf("a", "b"));
    await first;
    const second = list.refresh();
    source.runs[1]?.fail(down);
    await second;
    const { state, error, listedAt, failures } = list.current;
    assert.deepEqual([state, keys(list.current), listedAt, failures], ["ready", "a,b", 1_000, 1]);
    assert.equal(error?.message, "Down.");
  });

  it("enters the failed state if there are no rows", async () => {
    const { source, list } = create();
    const refresh = list.refresh();
    source.runs[0]?.fail(down);
    await refresh;
    assert.equal(list.current.state, "failed");
  });

  it("clears the error after the next successful response", async () => {
    const { source, list } = create();
    const first = list.refresh();
    source.runs[0]?.fail(down);
    await first;
    const second = list.refresh();
    source.runs[1]?.answer(listOf("a"));
    await second;
    assert.deepEqual([list.current.error, list.current.failures], [undefined, 0]);
  });

  it("shows no servers when signed out", async () => {
    const { source, list } = create();
    const first = list.refresh();
    source.runs[0]?.answer(listOf("a"));
    await first;
    const second = list.refresh();
    source.runs[1]?.fail(new ServiceError({ reason: "missingCredential", message: "No key." }));
    await second;
    assert.deepEqual([list.current.state, keys(list.current)], ["signedOut", ""]);
  });

  it("sends one request at a time and queues at most one more refresh", async () => {
    const { source, list } = create();
    const first = list.refresh();
    const queued = [list.refresh(), list.refresh(), list.refresh()];
    assert.equal(source.runs.length, 1);
    source.runs[0]?.answer(listOf("a"));
    await first;
    await Promise.resolve();
    assert.equal(source.runs.length, 2);
    source.runs[1]?.answer(listOf("b"));
    await Promise.all(queued);
    assert.equal(source.runs.length, 2);
    assert.equal(keys(list.current), "b");
  });

  it("shares an active request with a poll", async () => {
    const { source, list } = create();
    const both = [list.poll(), list.poll()];
    source.runs[0]?.answer(listOf("a"));
    await Promise.all(both);
    assert.equal(source.runs.length, 1);
  });

  it("drops a late response for the previous profile and stops its request", async () => {
    const { source, list } = create();
    void list.refresh();
    list.reset();
    const second = list.refresh();
    source.runs[1]?.answer(listOf("new"));
    await second;
    source.runs[0]?.answer(listOf("old"));
    await Promise.resolve();
    assert.equal(keys(list.current), "new");
    assert.equal(source.runs[0]?.isStopped, true);
  });

  it("drops a late failure for the previous profile", async () => {
    const { source, list } = create();
    const first = list.refresh();
    list.reset();
    source.runs[0]?.fail(down);
    await first;
    assert.deepEqual([list.current.state, list.current.error], ["loading", undefined]);
  });

  it("doesn't start the queued refresh of the previous profile", async () => {
    const { source, list } = create();
    const first = list.refresh();
    const queued = list.refresh();
    list.reset();
    source.runs[0]?.answer(listOf("old"));
    await Promise.all([first, queued]);
    assert.equal(source.runs.length, 1);
  });

  it("handles a listener that requests a poll as soon as a request starts", async () => {
    const { source, list } = create();
    list.onDidChange(() => void list.poll());
    const refresh = list.refresh();
    assert.equal(source.runs.length, 1);
    source.runs[0]?.fail(down);
    list.dispose();
    await refresh;
  });

  it("reports no details of an unknown error", async () => {
    const { source, list } = create();
    const refresh = list.refresh();
    source.runs[0]?.fail(new Error("secret detail"));
    await refresh;
    assert.doesNotMatch(JSON.stringify(list.current), /secret detail/);
  });
});
