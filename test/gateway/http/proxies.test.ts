import assert from "node:assert/strict";
import type { NetworkSettings } from "../../../src/gateway/http/transport.ts";
import { isRetriable } from "../../../src/gateway/http/retry.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startProxy } from "../../support/proxyServer.ts";
import type { ProxyOptions, ProxyServer } from "../../support/proxyServer.ts";
import { failureOf, get, Harness, plainSettings, post, readText } from "./transportHarness.ts";

describe("Proxies", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  const authority = createAuthority("Example Corporation Root");
  const certificate = authority.issue(["gpu.test", "127.0.0.1", "localhost"]);
  const readCertificates = (): readonly string[] => [authority.certificate];

  async function proxy(options: ProxyOptions): Promise<ProxyServer> {
    const started = await startProxy(options);
    harness.onClose(() => started.close());
    return started;
  }

  async function behindProxy(
    options: Partial<ProxyOptions> = {},
  ): Promise<ProxyServer & { serverSockets(): number }> {
    const server = await harness.server((request, response) => request.pipe(response), certificate);
    const started = await proxy({ upstreamPort: server.port, ...options });
    return { ...started, serverSockets: () => server.sockets.length };
  }

  it("from the setting http.proxy tunnel https", async () => {
    const { url, requests } = await behindProxy();
    const transport = harness.transport({ proxyUrl: url }, { readCertificates });
    const response = await transport.request(post("https://gpu.test/v1", "through"));
    assert.equal(await readText(response), "through");
    assert.deepEqual(requests, [{ method: "CONNECT", target: "gpu.test:443", authorization: undefined }]);
  });

  it("from the environment tunnel https if no setting specifies one", async () => {
    const { url, requests } = await behindProxy();
    for (const name of ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY"]) {
      const transport = harness.transport({ environment: { [name]: url } }, { readCertificates });
      await readText(await transport.request(post("https://gpu.test/", name)));
    }
    assert.equal(requests.length, 5);
  });

  it("from the setting take precedence over those from the environment", async () => {
    const { url, requests } = await behindProxy();
    const environment = { HTTPS_PROXY: "http://127.0.0.1:1" };
    const transport = harness.transport({ proxyUrl: url, environment }, { readCertificates });
    await readText(await transport.request(post("https://gpu.test/", "x")));
    assert.equal(requests.length, 1);
  });

  it("are reused for several turns through one tunnel", async () => {
    const { url, requests, serverSockets } = await behindProxy();
    const transport = harness.transport({ proxyUrl: url }, { readCertificates });
    for (let turn = 0; turn < 3; turn++) {
      await readText(await transport.request(post("https://gpu.test/", "x")));
    }
    assert.deepEqual([requests.length, serverSockets()], [1, 1]);
  });

  it("receive the complete URL for plain HTTP", async () => {
    const started = await proxy({ upstreamPort: 1 });
    const transport = harness.transport({ proxyUrl: started.url });
    assert.equal(await readText(await transport.request(get("http://gpu.test/a?b=c"))), "through the proxy");
    assert.equal(started.requests[0]?.target, "http://gpu.test/a?b=c");
  });

  it("receive the user name and password from their URL for both kinds of requests", async () => {
    const { url, requests } = await behindProxy();
    const withUser = url.replace("//", "//us%40er:pass%3Aword@");
    const transport = harness.transport({ proxyUrl: withUser }, { readCertificates });
    await readText(await transport.request(post("https://gpu.test/", "x")));
    await readText(await transport.request(get("http://gpu.test/")));
    const expected = `Basic ${Buffer.from("us@er:pass:word").toString("base64")}`;
    assert.deepEqual(
      requests.map(({ authorization }) => authorization),
      [expected, expected],
    );
  });

  it("receive the value of http.proxyAuthorization unchanged", async () => {
    const { url, requests } = await behindProxy();
    const settings = { proxyUrl: url, proxyAuthorization: "Custom x" };
    const transport = harness.transport(settings, { readCertificates });
    await readText(await transport.request(post("https://gpu.test/", "x")));
    assert.equal(requests[0]?.authorization, "Custom x");
  });

  it("may themselves use https", async () => {
    const { url, requests } = await behindProxy({ certificate });
    assert.match(url, /^https:/);
    const transport = harness.transport({ proxyUrl: url }, { readCertificates });
    assert.equal(await readText(await transport.request(post("https://gpu.test/", "twice"))), "twice");
    assert.equal(requests.length, 1);
  });

  it("don't weaken certificate checks: the server must have a trusted certificate", async () => {
    const { url } = await behindProxy();
    const error = await failureOf(harness.transport({ proxyUrl: url }).request(get("https://gpu.test/")));
    assert.equal(error.reason, "tls");
    const withTrust = harness.transport({ proxyUrl: url }, { readCertificates });
    assert.equal((await failureOf(withTrust.request(get("https://other.test/")))).reason, "tls");
  });

  it("that refuse requests are named, without their password", async () => {
    for (const status of [407, 403, 502]) {
      const { url, port } = await behindProxy({ refuseWith: status });
      const transport = harness.transport(
        { proxyUrl: url.replace("//", "//user:canary@") },
        { readCertificates },
      );
      for (const target of status === 407
        ? ["https://gpu.test/", "http://gpu.test/"]
        : ["https://gpu.test/"]) {
        const error = await failureOf(transport.request(get(target)));
        assert.deepEqual([error.reason, error.statusCode], ["proxy", status]);
        assert.ok(error.message.includes(`127.0.0.1:${port}`) && error.message.includes("http.proxy"));
        const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        assert.ok(!/canary|dXNlcjpjYW5hcnk=/.test(shown), shown);
      }
    }
  });

  it("that close a connection are named, during the handshake or later", async () => {
    for (const afterBytes of [1, 4_000]) {
      const { url, port } = await behindProxy({ cutAfterBytes: afterBytes });
      const transport = harness.transport({ proxyUrl: url }, { readCertificates });
      const body = "x".repeat(20_000);
      const error = await failureOf(transport.request(post("https://gpu.test/", body)).then(readText));
      assert.equal(error.reason, "proxy", `${afterBytes}: ${error.message}`);
      assert.ok(error.message.includes(`the proxy 127.0.0.1:${port}`) && error.message.includes("gpu.test"));
      assert.ok(error.message.includes("http.proxy"));
      assert.equal(isRetriable(error), true);
    }
  });

  it("that can't be reached are named, with the setting that they come from", async () => {
    const environment = { HTTPS_PROXY: "http://user:canary@127.0.0.1:1" };
    const error = await failureOf(harness.transport({ environment }).request(get("https://gpu.test/")));
    assert.equal(error.reason, "proxy");
    assert.match(
      error.message,
      /The proxy 127\.0\.0\.1:1 refused the connection.*environment variable HTTPS_PROXY/,
    );
    assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes("canary"));
  });

  it("of an unsupported kind cause an error rather than being bypassed", async () => {
    const settings = { proxyUrl: "socks5://user:canary@127.0.0.1:1080" };
    const error = await failureOf(harness.transport(settings).request(get("https://gpu.test/")));
    assert.equal(error.reason, "proxy");
    assert.match(error.message, /socks5/);
    assert.ok(!error.message.includes("canary"));
  });

  it("are never used for this machine", async () => {
    const server = await harness.server((_, response) => response.end("direct"));
    const started = await proxy({ upstreamPort: server.port });
    const transport = harness.transport({ proxyUrl: started.url, environment: { HTTP_PROXY: started.url } });
    for (const host of ["127.0.0.1", "localhost"]) {
      const response = await transport.request(get(`http://${host}:${server.port}/`));
      assert.equal(await readText(response), "direct");
    }
    assert.equal(started.requests.length, 0);
  });

  it("are not used if http.proxySupport is off or http.noProxy excludes the host", async () => {
    const { url, requests } = await behindProxy();
    const settings: Partial<NetworkSettings>[] = [
      { proxyUrl: url, proxySupport: "off" },
      { proxyUrl: url, noProxy: ["gpu.invalid"] },
      { proxyUrl: url, environment: { NO_PROXY: "*.invalid" } },
    ];
    for (const setting of settings) {
      // Looking up a name can take long on a busy machine.
      const request = get("https://gpu.invalid/", { timeoutMs: 50_000 });
      assert.equal((await failureOf(harness.transport(setting).request(request))).reason, "unreachable");
    }
    assert.equal(requests.length, 0);
  });

  it("that are changed in the settings are used from the next request on, without interrupting a stream", async () => {
    const first = await behindProxy();
    const second = await behindProxy();
    let proxyUrl = first.url;
    const transport = harness.transport(() => ({ ...plainSettings, proxyUrl }), { readCertificates });
    const stream = await transport.request(post("https://gpu.test/", "still here"));
    proxyUrl = second.url;
    await readText(await transport.request(post("https://gpu.test/", "x")));
    assert.equal(await readText(stream), "still here");
    assert.deepEqual([first.requests.length, second.requests.length], [1, 1]);
  });
});
