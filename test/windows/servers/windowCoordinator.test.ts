import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server as SocketServer } from "node:net";
import { tmpdir } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { join } from "node:path";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { ServerList } from "../../../src/core/servers/server.ts";
import { ServerListState } from "../../../src/core/servers/serverListState.ts";
import { readServerList } from "../../../src/gateway/servers/readServerList.ts";
import { ownerFileName } from "../../../src/storage/files/snapshotFiles.ts";
import type { ListOwner } from "../../../src/storage/files/snapshotFiles.ts";
import { Lease } from "../../../src/windows/link/lease.ts";
import { WindowCoordinator } from "../../../src/windows/servers/windowCoordinator.ts";

/** How long a window actually waits for another window's response. */
const replyTimeoutMs = 3_000;
const owner: ListOwner = { profileName: "a", identity: "0123" };
const secret = "planted-secret-in-a-record";

/** A window as created by the server list, with a gateway whose responses are controlled by the test. */
class TestWindow {
  owner: ListOwner | undefined = owner;
  asked = 0;
  /**
   * Whether it gives up on a window that doesn't respond. Otherwise, a response can take as long as the machine needs.
   */
  isImpatient = false;
  reply: string | ServiceError | (() => Promise<string>) = listOf("one");
  readonly share: WindowCoordinator;
  readonly list: ServerListState;

  constructor(folder: string) {
    this.share = new WindowCoordinator({
      folder,
      readOwner: () => Promise.resolve(this.owner),
      ask: async () => {
        this.asked++;
        const { reply } = this;
        if (reply instanceof ServiceError) throw reply;
        const text = typeof reply === "string" ? reply : await reply();
        return { text, list: readServerList(text) };
      },
      // A long list isn't read at once.
      async read(text) {
        for (let turn = 0; turn < 3; turn++) await nextTurn();
        return readServerList(text);
      },
      now: () => Date.now(),
      schedule: (callback, delayMs) => {
        if (delayMs === replyTimeoutMs && !this.isImpatient) return () => undefined;
        const timer = setTimeout(callback, 0);
        return () => clearTimeout(timer);
      },
    });
    this.list = new ServerListState(this.share, () => Date.now());
    this.share.onPollResult((outcome) => this.list.adopt(outcome));
    this.share.onRefreshWanted(() => this.list.refresh());
  }

  get keys(): readonly string[] {
    return this.list.current.servers.map(({ key }) => key);
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  }

  async lead(): Promise<void> {
    this.share.setVisible(true);
    await this.until(() => this.share.isLeading === true);
  }

  /** Resolves once it receives messages from the leading window. */
  async follow(leader: TestWindow): Promise<void> {
    this.share.setVisible(true);
    await this.until(() => this.share.isLeading === false);
    leader.share.announce(60_000);
    await this.until(() => this.share.announcedAt !== undefined);
  }
}

function listOf(...ids: readonly string[]): string {
  return JSON.stringify({ servers: ids.map((id) => ({ id, status: "running", admin_password: secret })) });
}

describe("WindowCoordinator", () => {
  let folder: string;
  const windows: TestWindow[] = [];
  const open = (): TestWindow => {
    const window = new TestWindow(folder);
    windows.push(window);
    return window;
  };

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "share-"))));
  afterEach(() => {
    for (const { share } of windows.splice(0)) share.setVisible(false);
    rmSync(folder, { recursive: true, force: true });
  });

  it("lets one window request the list and shares all of it with the others, including later ones", async () => {
    const [first, second, third] = [open(), open(), open()];
    await first.lead();
    await second.follow(first);
    await first.list.poll();
    await second.until(() => second.keys.length > 0);
    await third.follow(first);
    await third.until(() => third.keys.length > 0);
    assert.deepEqual([second.keys, third.keys], [["one"], ["one"]]);
    assert.deepEqual(second.list.current.servers[0]?.record, first.list.current.servers[0]?.record);
    assert.deepEqual([first.asked, second.asked, third.asked], [1, 0, 0]);
  });

  it("shares one window's refresh with all, requested by the leading window", async () => {
    const [first, second, third] = [open(), open(), open()];
    await first.lead();
    await second.follow(first);
    await third.follow(first);
    first.reply = listOf("one", "two");
    await second.list.refresh();
    assert.deepEqual(second.keys, ["one", "two"]);
    assert.deepEqual(first.keys, ["one", "two"]);
    await third.until(() => third.keys.length === 2);
    assert.deepEqual([first.asked, second.asked, third.asked], [1, 0, 0]);
  });

  it("shares the refresh of a window that doesn't show the servers with those that do", async () => {
    const [first, hidden] = [open(), open()];
    await first.lead();
    await untilFile(join(folder, `${ownerFileName(owner)}.link`));
    await hidden.list.refresh();
    assert.deepEqual([first.asked, hidden.asked], [1, 0]);
    assert.deepEqual([first.keys, hidden.keys], [["one"], ["one"]]);
  });

  it("shares failures unchanged, with the time of the next attempt", async () => {
    const [first, second] = [open(), open()];
    await first.lead();
    await second.follow(first);
    const facts = { reason: "rateLimit", message: "Slow down.", retryAfterMs: 60_000 } as const;
    first.reply = new ServiceError(facts);
    await first.list.poll();
    await second.until(() => second.list.current.error !== undefined);
    first.share.announce(60_000);
    await second.until(() => second.share.announcedAt !== undefined);
    assert.deepEqual(second.list.current.error, facts);
    assert.ok(Math.abs((second.share.announcedAt ?? 0) - Date.now() - 60_000) < 30_000);
  });

  it("passes leadership and the rows on when the leading window is hidden", async () => {
    const [first, second, third] = [open(), open(), open()];
    await first.lead();
    await first.list.poll();
    await second.follow(first);
    await second.until(() => second.keys.length > 0);
    first.share.setVisible(false);
    await second.until(() => second.share.isLeading === true);
    await third.follow(second);
    await third.until(() => third.keys.length > 0);
    assert.deepEqual([second.asked, third.asked], [0, 0]);
  });

  it("lets a window send its own request if the window with the lease is stuck", async () => {
    const lease = new Lease(join(folder, `${ownerFileName(owner)}.lock`));
    assert.ok(lease.acquire());
    const silent = await listenSilently(join(folder, "s"));
    const address = { path: join(folder, "s"), token: "t" };
    writeFileSync(join(folder, `${ownerFileName(owner)}.link`), JSON.stringify(address));
    const window = open();
    window.isImpatient = true;
    window.share.setVisible(true);
    await window.until(() => window.share.isLeading === false);
    await window.list.poll();
    assert.deepEqual([window.asked, window.keys], [1, ["one"]]);
    lease.release();
    await window.until(() => window.share.isLeading === true);
    silent.close();
  });

  it("shares nothing with a window that has another credential", async () => {
    const [first, second] = [open(), open()];
    second.owner = { ...owner, identity: "4567" };
    await first.lead();
    await second.lead();
    await first.list.poll();
    second.reply = listOf("other");
    await second.list.poll();
    assert.deepEqual([first.keys, second.keys], [["one"], ["other"]]);
  });

  it("drops the leading window's updates after its own credential changes", async () => {
    const [first, second] = [open(), open()];
    await first.lead();
    await second.follow(first);
    let answer: (text: string) => void = () => undefined;
    first.reply = () => new Promise((resolve) => (answer = resolve));
    const refreshed = second.list.refresh();
    await first.until(() => first.asked === 1);
    second.owner = { ...owner, identity: "4567" };
    second.share.reset();
    second.list.reset();
    answer(listOf("late"));
    await refreshed;
    await second.until(() => second.share.isLeading === true);
    assert.deepEqual(second.keys, []);
  });

  it("leads on its own if no one is signed in", async () => {
    const window = open();
    window.owner = undefined;
    await window.lead();
    assert.deepEqual(readdirSync(folder), []);
  });

  it("shares nothing with a process that doesn't know the token in the file", async () => {
    const [first, stranger] = [open(), open()];
    await first.lead();
    await first.list.poll();
    const file = join(folder, `${ownerFileName(owner)}.link`);
    await untilFile(file);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), token: "guessed" }));
    stranger.share.setVisible(true);
    await stranger.until(() => stranger.share.isLeading === false);
    await stranger.list.poll();
    assert.deepEqual([stranger.asked, first.asked], [1, 1]);
  });

  it("writes no part of the list to disk", async () => {
    const [first, second] = [open(), open()];
    await first.lead();
    await second.follow(first);
    await second.list.refresh();
    for (const name of readdirSync(folder)) {
      assert.doesNotMatch(readFileSync(join(folder, name), "latin1"), /planted|one/);
    }
  });

  it("removes files left behind by a killed window", async () => {
    const left = mkdtempSync(join(tmpdir(), "inference-gateway-"));
    const file = join(folder, `${ownerFileName(owner)}.link`);
    writeFileSync(file, JSON.stringify({ path: join(left, "servers"), token: "t" }));
    const window = open();
    await window.lead();
    await window.until(() => !readFileSync(file, "utf8").includes(left));
    assert.equal(existsSync(left), false);
  });

  it("transfers a list of many megabytes completely", async () => {
    const [first, second] = [open(), open()];
    await first.lead();
    await second.follow(first);
    first.reply = listOf(...Array.from({ length: 20_000 }, (_, index) => `sérver-${index}`));
    await second.list.refresh();
    const { servers }: ServerList = readServerList(first.reply);
    assert.ok(JSON.stringify(second.list.current.servers) === JSON.stringify(servers));
  });
});

function listenSilently(path: string): Promise<SocketServer> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.resume());
    server.listen(path, () => resolve(server));
  });
}

/** The leading window starts listening before it publishes its address. */
async function untilFile(path: string): Promise<void> {
  for (;;) {
    try {
      readFileSync(path);
      return;
    } catch {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
