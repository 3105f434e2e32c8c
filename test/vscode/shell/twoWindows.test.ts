import assert from "node:assert/strict";
import { Adaptations } from "../../../src/core/conversation/adaptations.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { SecretVault } from "../../../src/core/account/secretVault.ts";
import { ServerListState } from "../../../src/core/servers/serverListState.ts";
import { ServerPoller } from "../../../src/core/servers/serverPoller.ts";
import { ClientFactory } from "../../../src/vscode/shell/clientFactory.ts";
import { Harness, plainSettings } from "../../gateway/http/transportHarness.ts";
import { createAuthority } from "../../support/certificates.ts";
import { MemoryIndex, MemorySecrets } from "../../support/memorySecrets.ts";

const hour = 3_600_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

type Answer = (token: string, response: ServerResponse, request: IncomingMessage) => void;

const accept = (response: ServerResponse, name = "gpu-1"): void =>
  void response.end(JSON.stringify({ servers: [{ id: "a", name }] }));
const refuse = (response: ServerResponse, code: string): void =>
  void response.writeHead(401).end(JSON.stringify({ code, message: "no" }));

describe("Credentials in two windows", () => {
  const harness = new Harness();
  const opened: { close(): void }[] = [];
  afterEach(async () => {
    for (const window of opened.splice(0)) window.close();
    await harness.close();
  });

  async function gateway(answer: Answer, name = "Cloud") {
    const tokens: string[] = [];
    const server = await harness.server((request, response) => {
      const token = String(request.headers["sts-token"] ?? request.headers["authorization"] ?? "");
      tokens.push(token);
      answer(token, response, request);
    });
    return { tokens, profile: profileOf(server.url, name) };
  }

  function profileOf(gatewayUrl: string, name: string): Profile {
    const { profiles } = parseProfiles([{ name, gatewayUrl, gatewayCredential: "stsToken" }]);
    assert.ok(profiles[0]);
    return profiles[0];
  }

  /**
   * The parts of the extension that store, send and show, connected as in a window whose time is controlled by the
   * test.
   */
  function openWindow(profile: Profile, store = new MemorySecrets()) {
    const vault = new SecretVault({
      store,
      index: new MemoryIndex(),
      redaction: new Redaction(),
      now: () => Date.now(),
    });
    const refusals: string[] = [];
    const clients = new ClientFactory({
      userAgent: "test",
      log: silent,
      vault,
      adaptations: new Adaptations(() => 1),
      network: () => plainSettings,
      timeoutMs: () => 5_000,
      maxAttempts: () => 1,
      keepUsage: (port) => port,
      keepRequest: (_, send) => send(),
      onClockCorrected: () => undefined,
      onListed: () => Promise.resolve(),
      onRefused: ({ name }, { reason, message }: ErrorFacts) =>
        refusals.push(`${name}: ${reason} ${message}`),
    });
    const ask = (signal: AbortSignal) => clients.listServers(profile, { signal });
    const source = {
      list() {
        const controller = new AbortController();
        return { list: ask(controller.signal), stop: () => controller.abort() };
      },
    };
    let passedMs = 0;
    const now = (): number => Date.now() + passedMs;
    const list = new ServerListState(source, now);
    let due: (() => void) | undefined;
    const ports = {
      now,
      schedule(callback: () => void) {
        due = callback;
        return () => (due = undefined);
      },
      random: () => 0.5,
      intervalMs: () => 30_000,
      hasFocus: () => true,
    };
    const poller = new ServerPoller(list, ports);
    /** Half a minute, in the steps in which the poller checks the clock. */
    const pass = (): void => {
      for (let step = 0; step < 7; step++) {
        passedMs += 5_000;
        due?.();
      }
    };
    const stopListening = vault.onDidChange(() => list.reset());
    const close = (): void => {
      stopListening();
      poller.dispose();
      list.dispose();
      vault.dispose();
      clients.dispose();
    };
    opened.push({ close });
    /** Resolves with what the list shows once nothing is in progress. */
    const settled = async (): Promise<string> => {
      while (list.current.isRefreshing || list.current.state === "loading") {
        await new Promise((resolve) => {
          const stop = list.onDidChange(() => {
            stop();
            resolve(undefined);
          });
        });
      }
      const { servers, error } = list.current;
      return [...servers.map(({ name }) => name?.value), error?.reason].filter(Boolean).join();
    };
    return {
      vault,
      list,
      poller,
      refusals,
      settled,
      isPaused: () => due === undefined,
      pass,
    };
  }

  const sts = (token: string) => ({ kind: "stsToken", token }) as const;

  it("pause when a token expires on the server, keep the rows, and resume with one that another window stores", async () => {
    let valid = "token-one";
    const { tokens, profile } = await gateway((token, response) => {
      if (token === valid) accept(response);
      else refuse(response, "ERR_STS_UNAUTHORIZED");
    });
    const store = new MemorySecrets();
    const first = openWindow(profile, store);
    const second = openWindow(profile, store);
    await first.vault.store(profile, sts("token-one"));
    first.poller.setVisible(true);
    assert.equal(await first.settled(), "gpu-1");
    assert.equal(first.isPaused(), false);
    valid = "token-two";
    first.pass();
    assert.equal(await first.settled(), "gpu-1,stsToken");
    assert.equal(first.isPaused(), true);
    assert.deepEqual(first.refusals.length, 1);
    await first.list.refresh();
    assert.deepEqual(first.refusals.length, 1, "One notification for each profile in a minute.");
    await second.vault.store(profile, sts("token-two"));
    assert.equal(await first.settled(), "gpu-1");
    assert.equal(first.isPaused(), false);
    assert.deepEqual(tokens, ["token-one", "token-one", "token-one", "token-two"]);
  });

  it("send no token that is known to have expired, and show no notification for it", async () => {
    const { tokens, profile } = await gateway((_, response) => accept(response));
    const store = new MemorySecrets();
    const first = openWindow(profile, store);
    const second = openWindow(profile, store);
    await first.vault.store(profile, sts("token-one"), Date.now() - 1_000);
    first.poller.setVisible(true);
    assert.equal(await first.settled(), "stsToken");
    assert.match(first.list.current.error?.message ?? "", /“Cloud” has expired. Requests are paused/);
    assert.equal(first.isPaused(), true);
    assert.deepEqual([tokens, first.refusals], [[], []]);
    await second.vault.store(profile, sts("token-two"), Date.now() + hour);
    assert.equal(await first.settled(), "gpu-1");
    assert.deepEqual(tokens, ["token-two"]);
  });

  it("drop responses for a key that was replaced in another window", async () => {
    let release: (() => void) | undefined;
    let arrived: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => (arrived = resolve));
    const sockets = new Map<string, unknown>();
    const { profile } = await gateway((token, response, request) => {
      sockets.set(token, request.socket);
      if (token === "token-new") return accept(response, "new account");
      release = () => accept(response, "old account");
      arrived?.();
    });
    const store = new MemorySecrets();
    const first = openWindow(profile, store);
    const second = openWindow(profile, store);
    await first.vault.store(profile, sts("token-old"));
    first.poller.setVisible(true);
    const shown: string[] = [];
    first.list.onDidChange(({ servers }) => shown.push(...servers.map(({ name }) => name?.value ?? "")));
    await isAsked;
    await second.vault.store(profile, sts("token-new"));
    assert.equal(await first.settled(), "new account");
    release?.();
    first.pass();
    assert.equal(await first.settled(), "new account");
    assert.deepEqual([...new Set(shown)], ["new account"]);
    assert.notEqual(sockets.get("token-old"), sockets.get("token-new"), "A connection has one credential.");
  });

  it("are reported once for each profile, with the cause", async () => {
    const causes = [
      ["ERR_STS_UNAUTHORIZED", /stsToken .*invalid or has expired/],
      ["ERR_AUTHTYPE", /authenticationType .*doesn't accept this type of credential/],
      ["ERR_UNAUTHORIZED", /sessionToken .*requires a session token, but a different credential/],
    ] as const;
    for (const [code, words] of causes) {
      const { profile } = await gateway((_, response) => refuse(response, code), `Cloud ${code}`);
      const { vault, list, refusals } = openWindow(profile);
      await vault.store(profile, sts("token"));
      for (let round = 0; round < 3; round++) await list.refresh();
      assert.equal(refusals.length, 1);
      assert.match(refusals[0] ?? "", words);
      assert.ok(refusals[0]?.startsWith(profile.name));
    }
  });

  it("aren't blamed for failures of the network, a certificate or a server", async () => {
    const untrusted = await harness.server(
      (_, response) => accept(response),
      createAuthority("Somebody").issue(["127.0.0.1"]),
    );
    const closed = await harness.server(() => undefined);
    const closedUrl = closed.url;
    await closed.close();
    const troubles: readonly (readonly [reason: string, profile: Profile])[] = [
      ["tls", profileOf(untrusted.url, "Cloud")],
      ["unreachable", profileOf(closedUrl, "Cloud")],
      ["unreachable", (await gateway((_, response) => response.destroy())).profile],
      ["unavailable", (await gateway((_, response) => void response.writeHead(503).end("x"))).profile],
      [
        "forbidden",
        (await gateway((_, response) => void response.writeHead(403).end("error code: 1010"))).profile,
      ],
      ["rateLimit", (await gateway((_, response) => void response.writeHead(429).end())).profile],
      [
        "malformed",
        (await gateway((_, response) => void response.end("<html><title>Sign in</title>"))).profile,
      ],
    ];
    for (const [reason, profile] of troubles) {
      const store = new MemorySecrets();
      const { vault, poller, settled, refusals, isPaused } = openWindow(profile, store);
      await vault.store(profile, sts("token"));
      const stored = [...store.entries];
      poller.setVisible(true);
      assert.equal(await settled(), reason);
      assert.deepEqual([[...store.entries], refusals, isPaused()], [stored, [], false]);
      assert.equal((await vault.read(profile, "stsToken")).state, "present");
    }
  });
});
