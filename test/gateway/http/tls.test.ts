import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../../support/certificates.ts";
import { failureOf, get, Harness, readText } from "./transportHarness.ts";

describe("Certificates", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  const authority = createAuthority("Example Corporation Root");
  const good = authority.issue(["127.0.0.1"]);
  const readCertificates = (): readonly string[] => [authority.certificate];

  it("from a trusted issuer are accepted, and the server counts as verified", async () => {
    const server = await harness.server((_, response) => response.end("secret"), good);
    const response = await harness.transport({}, { readCertificates }).request(get(server.url));
    assert.deepEqual([await readText(response), response.isVerified], ["secret", true]);
  });

  it("are read once, and only when needed", async () => {
    const plain = await harness.server((_, response) => response.end());
    const server = await harness.server((_, response) => response.end(), good);
    let count = 0;
    const transport = harness.transport({}, { readCertificates: () => (count++, readCertificates()) });
    await readText(await transport.request(get(plain.url)));
    assert.equal(count, 0);
    await Promise.all([1, 2, 3].map(async () => readText(await transport.request(get(server.url)))));
    assert.equal(count, 1);
  });

  it("from an unknown issuer end the connection before anything is sent, with the issuer named", async () => {
    const server = await harness.server((_, response) => response.end(), good);
    const error = await failureOf(harness.transport().request(get(server.url, { isAuthenticated: true })));
    assert.equal(error.reason, "tls");
    assert.match(error.message, /“Example Corporation Root”/);
    assert.equal(server.urls.length, 0);
    await server.socketClosed();
  });

  it("for another host end the connection, with their host names listed", async () => {
    const other = authority.issue(["gpu.example"]);
    const server = await harness.server((_, response) => response.end(), other);
    const error = await failureOf(harness.transport({}, { readCertificates }).request(get(server.url)));
    assert.equal(error.reason, "tls");
    assert.match(error.message, /gpu\.example/);
    assert.equal(server.urls.length, 0);
  });

  it("that have expired end the connection", async () => {
    const old = authority.issue(["127.0.0.1"], { from: new Date("2020-01-01"), to: new Date("2021-01-01") });
    const server = await harness.server((_, response) => response.end(), old);
    const error = await failureOf(harness.transport({}, { readCertificates }).request(get(server.url)));
    assert.equal(error.reason, "tls");
    assert.match(error.message, /has expired/);
  });

  it("need not be trusted if http.proxyStrictSSL is off", async () => {
    const server = await harness.server((_, response) => response.end("anyone"), good);
    const response = await harness.transport({ strictSsl: false }).request(get(server.url));
    assert.equal(await readText(response), "anyone");
  });

  it("must be trusted again as soon as http.proxyStrictSSL is on again", async () => {
    const server = await harness.server((_, response) => response.end(), good);
    let strictSsl = false;
    const settings = {
      noProxy: [],
      proxySupport: "on",
      useSystemCertificates: false,
      environment: {},
    } as const;
    const transport = harness.transport(() => ({ ...settings, strictSsl }));
    await readText(await transport.request(get(server.url)));
    strictSsl = true;
    assert.equal((await failureOf(transport.request(get(server.url)))).reason, "tls");
  });
});

describe("Certificates of the machine", () => {
  const harness = new Harness();
  const authority = createAuthority("System Root");
  let folder = "";
  let file = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "inference-gateway-"));
    file = join(folder, "ca.pem");
    await writeFile(file, authority.certificate);
  });
  after(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });

  /** A separate process, because Node reads these variables only once. */
  async function outcomeIn(
    environment: Record<string, string>,
    useSystemCertificates: boolean,
  ): Promise<string> {
    const server = await harness.server((_, response) => response.end("ok"), authority.issue(["127.0.0.1"]));
    const program = `
      const { createTransport } = await import(${JSON.stringify(new URL("../../../src/gateway/http/undiciTransport.ts", import.meta.url).href)});
      const network = () => ({ noProxy: [], proxySupport: "on", strictSsl: true, useSystemCertificates: ${useSystemCertificates}, environment: {} });
      const transport = createTransport({ network, userAgent: "test", now: () => Date.now() });
      const request = { method: "GET", url: new URL("${server.url}"), headers: {}, signal: new AbortController().signal, timeoutMs: 5000, isAuthenticated: false, allowInsecureHttp: false };
      await transport.request(request).then((r) => console.log(r.statusCode), (e) => console.log(e.reason));
      await transport.close();`;
    const child = spawn(process.execPath, [...process.execArgv, "--input-type=module", "-e", program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, SSL_CERT_FILE: undefined, ...environment },
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += String(chunk)));
    await once(child, "close");
    return output.trim();
  }

  it("are trusted from NODE_EXTRA_CA_CERTS", async () => {
    assert.equal(await outcomeIn({ NODE_EXTRA_CA_CERTS: file }, false), "200");
  });

  it("are trusted from the system's store", async () => {
    assert.equal(await outcomeIn({ SSL_CERT_FILE: file }, true), "200");
  });

  it("are not trusted from the system's store if http.systemCertificates is off", async () => {
    assert.equal(await outcomeIn({ SSL_CERT_FILE: file }, false), "tls");
  });
});
