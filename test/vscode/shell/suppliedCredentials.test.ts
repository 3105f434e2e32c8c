import assert from "node:assert/strict";
import { Adaptations } from "../../../src/core/conversation/adaptations.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { SecretVault } from "../../../src/core/account/secretVault.ts";
import { SuppliedCredentials } from "../../../src/core/account/suppliedCredentials.ts";
import { ClientFactory } from "../../../src/vscode/shell/clientFactory.ts";
import { readCredentialSource } from "../../../src/processes/account/readCredentialSource.ts";
import { Harness, plainSettings } from "../../gateway/http/transportHarness.ts";
import { MemoryIndex, MemorySecrets } from "../../support/memorySecrets.ts";

const canary = "canary7f3a9c";

describe("A credential that a command supplies", () => {
  const harness = new Harness();
  const opened: { close(): void }[] = [];
  const lines: string[] = [];
  let folder: string;
  /** How far the clocks of all windows are ahead, in milliseconds. */
  let ahead = 0;

  beforeEach(() => {
    ahead = 0;
    folder = mkdtempSync(join(tmpdir(), "supply-"));
    lines.length = 0;
  });

  afterEach(async () => {
    for (const window of opened.splice(0)) window.close();
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A command that prints the next token each time, and how often it has run. */
  function command(lifeSeconds: number | undefined, extra = "") {
    const count = join(folder, "count");
    const script = join(folder, "token.mjs");
    writeFileSync(count, "");
    writeFileSync(
      script,
      `import { appendFileSync, readFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(count)}, "x");
      const number = readFileSync(${JSON.stringify(count)}, "utf8").length;
      ${extra}
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log(JSON.stringify({ token: "${canary}-" + number, expires_in: ${String(lifeSeconds)} }));`,
    );
    return { argv: [process.execPath, script], runs: () => readFileSync(count, "utf8").length };
  }

  async function service(accepts: (credential: string) => boolean) {
    const seen: string[] = [];
    const server = await harness.server((request: IncomingMessage, response: ServerResponse) => {
      const sts = String(request.headers["sts-token"] ?? "");
      const key = String(request.headers.authorization ?? "").replace("Bearer ", "");
      const credential = sts === "" ? key : sts;
      seen.push(credential);
      if (!accepts(credential)) {
        const code = sts === "" ? "invalid_api_key" : "ERR_STS_UNAUTHORIZED";
        response.writeHead(401).end(JSON.stringify({ code, message: `${credential} is over` }));
      } else if (sts === "") response.end(JSON.stringify({ data: [{ id: "example/model" }] }));
      else response.end(JSON.stringify({ servers: [{ id: "a", name: "gpu-1", status: "running" }] }));
    });
    return { url: server.url, seen };
  }

  function readProfile(entry: Readonly<Record<string, unknown>>): Profile {
    const { profiles, problems } = parseProfiles([{ name: "Cloud", ...entry }]);
    assert.deepEqual(problems, []);
    assert.ok(profiles[0]);
    return profiles[0];
  }

  /** One window with its own memory. */
  function openWindow(profile: Profile, allows = true) {
    const redaction = new Redaction();
    const store = new MemorySecrets();
    const end = new AbortController();
    const log = (line: string): void => void lines.push(line);
    const now = (): number => Date.now() + ahead;
    const supplies = new SuppliedCredentials({
      confirm: () => Promise.resolve(allows),
      read: (request) => readCredentialSource(request, { signal: end.signal, timeoutMs: 10_000 }),
      remember: (secret) => redaction.remember(secret),
      log,
      now,
    });
    const supplier = {
      obtain: supplies.obtain.bind(supplies),
      allow: supplies.obtain.bind(supplies),
      facts: (request: Parameters<typeof supplies.facts>[0]) => Promise.resolve(supplies.facts(request)),
    };
    const vault = new SecretVault({ store, index: new MemoryIndex(), redaction, now, supplier });
    const clients = new ClientFactory({
      userAgent: "test",
      log: { debug: log, info: log, warn: log, error: log },
      vault,
      adaptations: new Adaptations(() => 1),
      network: () => plainSettings,
      timeoutMs: () => 30_000,
      maxAttempts: () => 1,
      onClockCorrected: () => undefined,
      keepUsage: (port) => port,
      keepRequest: (_, send) => send(),
      onListed: () => Promise.resolve(),
      onRefused: () => undefined,
    });
    const close = (): void => {
      end.abort();
      vault.dispose();
      clients.dispose();
    };
    opened.push({ close });
    const { signal } = new AbortController();
    return {
      vault,
      close,
      list: async (): Promise<string> => {
        const list = await clients.listServers(profile, { signal });
        return list.servers.map(({ name }) => name?.value).join();
      },
      models: async (): Promise<string> =>
        (await (await clients.inference(profile)).listModels(signal)).map(({ id }) => id).join(),
      isStored: async () => (await vault.list()).length > 0,
    };
  }

  it("is requested once for simultaneous requests, and renewed once when the server rejects it", async () => {
    let valid = `${canary}-1`;
    const { url, seen } = await service((token) => token === valid);
    const { argv, runs } = command(undefined);
    const profile = readProfile({ gatewayUrl: url, gatewayCredential: "stsToken", credentialCommand: argv });
    const { list, isStored } = openWindow(profile);
    const listTwice = async () => assert.deepEqual(await Promise.all([list(), list()]), ["gpu-1", "gpu-1"]);
    await listTwice();
    assert.equal(runs(), 1);
    valid = `${canary}-2`;
    await listTwice();
    assert.equal(runs(), 2);
    assert.deepEqual(new Set(seen), new Set([`${canary}-1`, `${canary}-2`]));
    assert.equal(lines.join().includes(canary), false);
    assert.equal(await isStored(), false);
  });

  it("is requested by each window, and renewed before it expires", async () => {
    const { url, seen } = await service(() => true);
    const { argv, runs } = command(1_000);
    const profile = readProfile({ gatewayUrl: url, gatewayCredential: "stsToken", credentialCommand: argv });
    const [first, second] = [openWindow(profile), openWindow(profile)];
    await first.list();
    await second.list();
    await first.list();
    assert.equal(runs(), 2);
    // A minute before it expires, but not yet expired.
    ahead = 960_000;
    await second.list();
    assert.deepEqual([runs(), seen], [3, [1, 2, 1, 3].map((number) => `${canary}-${number}`)]);
  });

  it("is an API key for the inference service, renewed in the same request when it is rejected", async () => {
    const { url, seen } = await service((key) => key === `${canary}-2`);
    const { argv, runs } = command(undefined);
    const profile = readProfile({
      inferenceBaseUrl: `${url}/v1`,
      credentialCommand: argv,
      apiKeyOptional: true,
    });
    const window = openWindow(profile);
    assert.equal(await window.models(), "example/model");
    assert.deepEqual([runs(), seen], [2, [`${canary}-1`, `${canary}-2`]]);
  });

  it("is requested once more, but not repeatedly, if the server keeps rejecting it", async () => {
    const { url, seen } = await service(() => false);
    const { argv } = command(undefined);
    const profile = readProfile({ gatewayUrl: url, gatewayCredential: "stsToken", credentialCommand: argv });
    await assert.rejects(openWindow(profile).list(), (error: Error) => {
      assert.match(error.message, /rejected the STS token/);
      return !error.message.includes(canary);
    });
    assert.equal(seen.length, 2);
  });

  it("is missing, with a sentence without any output, if the command fails", async () => {
    const { url, seen } = await service(() => true);
    const { argv } = command(60, `console.error("Sign in first: ${canary}-9"); process.exit(3);`);
    const profile = readProfile({ gatewayUrl: url, gatewayCredential: "stsToken", credentialCommand: argv });
    await assert.rejects(openWindow(profile).list(), (error: Error) => {
      assert.match(
        error.message,
        /STS token for the profile “Cloud” .* exit code 3: Sign in first: \[redacted\]/,
      );
      return true;
    });
    assert.deepEqual([seen, lines.join().includes(canary)], [[], false]);
  });

  it("isn't requested before the user allows it", async () => {
    const { url, seen } = await service(() => true);
    const { argv, runs } = command(60);
    const profile = readProfile({ gatewayUrl: url, gatewayCredential: "stsToken", credentialCommand: argv });
    await assert.rejects(
      openWindow(profile, false).list(),
      /hasn't been allowed yet\. Choose “Set STS Token”/,
    );
    assert.deepEqual([runs(), seen], [0, []]);
  });

  it("isn't requested to show what is stored", async () => {
    const { argv, runs } = command(60);
    const profile = readProfile({
      gatewayUrl: "https://gateway.example.com",
      gatewayCredential: "stsToken",
      credentialCommand: argv,
    });
    const { vault } = openWindow(profile);
    assert.deepEqual(await vault.read(profile, "stsToken"), { state: "supplied" });
    assert.deepEqual([await vault.list(), await vault.suppliedFacts(profile, "stsToken")], [[], undefined]);
    assert.equal(runs(), 0);
  });
});
