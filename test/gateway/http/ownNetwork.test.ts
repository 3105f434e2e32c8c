import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { OwnNetwork } from "../../../src/gateway/http/transport.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startProxy } from "../../support/proxyServer.ts";
import { get, Harness, readText } from "./transportHarness.ts";

describe("The network options of a profile", () => {
  const harness = new Harness();
  const authority = createAuthority("Private Root");
  const certificate = authority.issue(["127.0.0.1"]);
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "own-network-"))));
  afterEach(async () => {
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const owned = (url: string, network: OwnNetwork, profileName = "Cloud") => ({
    ...get(url),
    owner: { profileName, generation: 0, network },
  });

  it("trust the issuers in the CA file, for this profile only", async () => {
    const server = await harness.server((_, response) => response.end("ok"), certificate);
    const caFile = join(folder, "ca.pem");
    writeFileSync(caFile, `A comment\n${authority.certificate}`);
    const transport = harness.transport();
    assert.equal(await readText(await transport.request(owned(server.url, { caFile }))), "ok");
    await assert.rejects(transport.request(owned(server.url, {}, "Other")), isError("tls", /certificate/));
  });

  it("use the new connection as soon as one of them changes", async () => {
    const server = await harness.server((_, response) => response.end("ok"), certificate);
    const caFile = join(folder, "ca.pem");
    const transport = harness.transport();
    const request = (): Promise<unknown> => transport.request(owned(server.url, { caFile }));
    await assert.rejects(
      request(),
      isError("configuration", /ca\.pem can't be used: it doesn't exist\. Check “caFile”/),
    );
    writeFileSync(caFile, "no certificate");
    await assert.rejects(request(), isError("configuration", /no certificate in PEM format/));
    writeFileSync(caFile, authority.certificate);
    await request();
  });

  it("report a CA file that can't even be examined", async () => {
    const server = await harness.server((_, response) => response.end("ok"), certificate);
    const caFile = join(folder, "loop.pem");
    symlinkSync(caFile, caFile);
    await assert.rejects(
      harness.transport().request(owned(server.url, { caFile })),
      isError("configuration", /loop\.pem can't be used: it can't be read\. Check “caFile”/),
    );
  });

  it("use the proxy for this profile only, before VS Code's settings, or none", async () => {
    const server = await harness.server((request, response) => response.end(request.url));
    const proxy = await startProxy({ upstreamPort: server.port });
    harness.onClose(() => proxy.close());
    const transport = harness.transport({
      proxyUrl: "http://127.0.0.1:9",
      noProxy: ["*"],
      proxyAuthorization: "Basic canary",
    });
    const url = "http://gpu.test/path";
    const answer = await transport.request(owned(url, { proxy: proxy.url }));
    assert.equal(await readText(answer), "through the proxy");
    assert.equal(JSON.stringify(proxy).includes("canary"), false);
    const direct = harness.transport({ proxyUrl: "http://127.0.0.1:9" });
    assert.equal(await readText(await direct.request(owned(server.url, { proxy: "direct" }))), "/");
  });
});

describe("The connection options of a profile", () => {
  const read = (options: Readonly<Record<string, unknown>>) =>
    parseProfiles([{ name: "Cloud", gatewayUrl: "https://a.example.com", ...options }]);

  it("are read", () => {
    const options = {
      consoleUrl: "https://console.example.com/keys",
      timeout: 90,
      proxy: "http://proxy.example.com:3128",
      caFile: "~/ca.pem",
      defaultModel: "example/model",
    };
    const { profiles, problems } = read(options);
    assert.deepEqual(problems, []);
    const { timeout, ...others } = options;
    assert.partialDeepStrictEqual(profiles[0], { ...others, timeoutMs: timeout * 1_000 });
  });

  for (const [option, value, problem] of [
    ["consoleUrl", "http://console.example.com", /must be the https/],
    ["consoleUrl", "command:workbench.action.quit", /must be the https/],
    ["timeout", 0, /from 1 to 86400/],
    ["timeout", 0.5, /from 1 to 86400/],
    ["timeout", "60", /from 1 to 86400/],
    ["timeout", 1e12, /from 1 to 86400/],
    ["proxy", "http://user:canary@proxy.example.com", /must be a URL such as .* password/],
    ["proxy", "socks5://proxy.example.com", /must be a URL/],
    ["caFile", "ca.pem", /absolute path/],
    ["defaultModel", "two words", /name of a model/],
    ["defaultModel", 5, /must be a string/],
  ] as const) {
    it(`report ${option} ${JSON.stringify(value)} and leave it out`, () => {
      const { profiles, problems } = read({ [option]: value });
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", problem);
      assert.equal(problems.join().includes("canary"), false);
      assert.equal(profiles.length, 1);
      assert.equal(Object.hasOwn(profiles[0] ?? {}, option === "timeout" ? "timeoutMs" : option), false);
    });
  }
});

function isError(reason: string, message: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof ServiceError);
    assert.match(error.message, message);
    assert.equal(error.reason, reason);
    return true;
  };
}
