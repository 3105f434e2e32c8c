import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import type { Credential } from "../../../src/core/kernel/credential.ts";
import type { StepReport } from "../../../src/core/diagnosis/diagnosis.ts";
import { secretForms } from "../../../src/core/account/redaction.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { Certificates } from "../../../src/gateway/http/certificates.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startProxy } from "../../support/proxyServer.ts";
import { Harness } from "../http/transportHarness.ts";
import { diagnose } from "./diagnosisHarness.ts";

const key = {
  kind: "accessKey",
  accessKey: "canary-access-key-0001",
  apiSecret: "canary-api-secret-0001",
} as const satisfies Credential;

function credentialsOf({ credentials }: RunningLocalGateway): readonly Credential[] {
  const { apiKey, accessKey, apiSecret, sessionToken, stsToken } = credentials;
  return [
    { kind: "apiKey", apiKey },
    { kind: "accessKey", accessKey, apiSecret },
    { kind: "sessionToken", token: sessionToken },
    { kind: "stsToken", token: stsToken },
  ];
}

function changesOf({ remedies = [] }: StepReport): readonly unknown[] {
  return remedies.flatMap((offer) => (offer.remedy === "changeProfile" ? [offer.change] : []));
}

function refuse(code: string, message = "no"): RequestListener {
  return (_, response) => void response.writeHead(401).end(JSON.stringify({ code, message }));
}

/** Sends the server's date in milliseconds; undefined sends none. */
function dated(date: () => number | undefined, listener: RequestListener): RequestListener {
  return (request, response) => {
    const shown = date();
    response.sendDate = false;
    if (shown !== undefined) response.setHeader("date", new Date(shown).toUTCString());
    listener(request, response);
  };
}

/** Accepts any signature whose nonce is correct according to a clock that is `aheadMs` ahead of ours. */
function judgingTime(aheadMs: number): RequestListener {
  return (request, response) => {
    const nonce = Number(new URL(request.url ?? "", "http://x").searchParams.get("nonce"));
    if (Math.abs(nonce * 1_000 - Date.now() - aheadMs) <= 31_000) response.end('{"servers":[]}');
    else response.writeHead(401).end('{"code":"ERR_SIGNATURE"}');
  };
}

describe("A diagnosis", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  async function localGateway(
    options: Parameters<typeof startLocalGateway>[0],
  ): Promise<RunningLocalGateway> {
    const gateway = await startLocalGateway({ tokensPerSecond: 0, ...options });
    harness.onClose(() => gateway.stop());
    return gateway;
  }

  const gatewayOnly = async (listener: RequestListener, entry: Readonly<Record<string, unknown>> = {}) => {
    const server = await harness.server(listener);
    return diagnose(harness, { entry: { gatewayUrl: server.url, ...entry }, credentials: [key] });
  };

  it("passes every step if everything works, including a streamed response with its timing", async () => {
    const gateway = await localGateway({});
    const { inferenceBaseUrl, gatewayUrl } = gateway;
    const { report, step, text } = await diagnose(harness, {
      entry: { inferenceBaseUrl, gatewayUrl },
      credentials: credentialsOf(gateway),
    });
    const statuses = report.sections.flatMap(({ steps }) => steps.map(({ status }) => status));
    assert.deepEqual([...new Set(statuses)], ["passed"]);
    assert.match(step("Streamed response").summary, /First token after \d+ ms/);
    assert.match(text, /All steps passed/);
  });

  for (const signatureEncoding of ["hex", "base64"] as const) {
    for (const emptyValues of ["omit", "keep"] as const) {
      if (signatureEncoding === "hex" && emptyValues === "omit") continue;
      it(`suggests the signature format that the gateway expects: ${signatureEncoding}, empty values ${emptyValues}`, async () => {
        const gateway = await localGateway({ signatureEncoding, emptyValues });
        const { step } = await diagnose(harness, {
          entry: { gatewayUrl: gateway.gatewayUrl, serverListQuery: { tag: "", pageIdx: "1" } },
          credentials: credentialsOf(gateway),
        });
        const found = step("Gateway credential");
        assert.deepEqual(changesOf(found), [{ signatureEncoding, signatureEmptyValues: emptyValues }]);
        assert.equal(step("GPU servers").status, "passed");
        const accepted = found.facts?.find(({ label }) => label === "Accepted string to sign")?.value;
        assert.match(
          accepted ?? "",
          emptyValues === "keep" ? /^pageIdx=1&tag=\d{10}•+$/ : /^pageIdx=1\d{10}•+$/,
        );
      });
    }
  }

  it("redacts secrets in any form, whatever the servers repeat", async () => {
    const secrets = [
      "canary-access-key-0001",
      "canary-api-secret-0001",
      "canary-sts-token-0001",
      "canary-api-key-0001",
    ];
    const server = await harness.server((request, response) => {
      const seen = `${request.url ?? ""} ${JSON.stringify(request.headers)} ${secrets.join(" ")}`;
      response.setHeader("server", seen.replace(/[^\x20-\x7e]/g, ""));
      response.writeHead(401).end(JSON.stringify({ code: "ERR_SIGNATURE", message: seen }));
    });
    const { text } = await diagnose(harness, {
      entry: { gatewayUrl: server.url, inferenceBaseUrl: `${server.url}/v1` },
      credentials: [
        key,
        { kind: "apiKey", apiKey: "canary-api-key-0001" },
        { kind: "stsToken", token: "canary-sts-token-0001" },
      ],
      network: { proxyUrl: "http://user:canary-proxy-password@127.0.0.1:9" },
    });
    const shown = [
      "canary-access-key-0001",
      "canary-api-secret-0001",
      "canary-api-key-0001",
      "canary-proxy-password",
    ];
    for (const form of shown.flatMap((secret) => secretForms(secret))) assert.ok(!text.includes(form), form);
  });

  it("names an untrusted issuer, and skips the steps that depend on it", async () => {
    const authority = createAuthority("Canary Corp Root");
    const server = await harness.server(refuse("ERR_UNAUTHORIZED"), authority.issue(["127.0.0.1"]));
    const { step } = await diagnose(harness, { entry: { gatewayUrl: server.url }, credentials: [key] });
    const tls = step("Encryption (TLS)");
    assert.equal(tls.status, "failed");
    assert.match(tls.summary, /doesn't recognize its issuer, “Canary Corp Root”/);
    for (const title of ["HTTP response", "Clock", "Gateway credential", "GPU servers"]) {
      assert.equal(step(title).status, "skipped");
      assert.match(step(title).summary, /certificate isn't trusted/);
    }
    assert.equal(server.urls.length, 0);
  });

  for (const [used, spoken] of [
    ["https", "http"],
    ["http", "https"],
  ] as const)
    it(`names a server that speaks ${spoken} at an ${used} address, and offers to change the address`, async () => {
      const certificate = createAuthority("Somebody").issue(["127.0.0.1"]);
      const server = await harness.server(
        refuse("ERR_UNAUTHORIZED"),
        spoken === "https" ? certificate : undefined,
      );
      const gatewayUrl = server.url.replace(`${spoken}:`, `${used}:`);
      const { report } = await diagnose(harness, { entry: { gatewayUrl }, credentials: [key] });
      const steps = report.sections.flatMap((section) => section.steps);
      const failed = steps.find(({ status }) => status === "failed");
      assert.match(failed?.summary ?? "", new RegExp(`TLS on this port.*Use ${spoken}`));
      const [offer, ...others] = failed?.remedies ?? [];
      assert.deepEqual(offer, {
        remedy: "switchScheme",
        label: `Use ${spoken}://`,
        profileName: "test",
        address: "gatewayUrl",
        scheme: spoken,
      });
      assert.deepEqual(others, []);
      assert.ok(
        steps
          .slice(steps.findIndex((step) => step === failed) + 1)
          .every(({ status }) => status === "skipped"),
      );
    });

  it("shows the chain of a trusted certificate", async () => {
    const authority = createAuthority("Canary Corp Root");
    const server = await harness.server(refuse("ERR_UNAUTHORIZED"), authority.issue(["127.0.0.1"]));
    const issuers = [authority.certificate];
    const { step } = await diagnose(harness, { entry: { gatewayUrl: server.url }, issuers });
    assert.equal(step("Encryption (TLS)").status, "passed");
    assert.ok(
      step("Encryption (TLS)").facts?.some(({ value }) => value.includes("issued by Canary Corp Root")),
    );
  });

  it("offers the system's certificates if they would work", async () => {
    const authority = createAuthority("Canary Corp Root");
    const server = await harness.server(refuse("ERR_UNAUTHORIZED"), authority.issue(["127.0.0.1"]));
    const { step } = await diagnose(harness, {
      entry: { gatewayUrl: server.url },
      ports: {
        certificates: new Certificates((useSystem) => (useSystem ? [authority.certificate] : [])),
      },
    });
    assert.deepEqual(
      step("Encryption (TLS)").remedies?.map(({ remedy }) => remedy),
      ["changeSetting"],
    );
  });

  for (const seconds of [29, -29, 31, -31, 45, -45, 5 * 3_600]) {
    it(`connects to a gateway whose clock is ${seconds} s ahead, and reports the difference`, async () => {
      const gateway = await localGateway({ clockOffsetMs: seconds * 1_000 });
      const { step } = await diagnose(harness, {
        entry: { gatewayUrl: gateway.gatewayUrl },
        credentials: credentialsOf(gateway),
      });
      assert.equal(step("Gateway credential").status, "passed");
      assert.equal(step("GPU servers").status, "passed");
      assert.equal(step("Clock").status, Math.abs(seconds) > 30 ? "warning" : "passed");
      assert.match(step("Clock").summary, seconds > 0 ? /Your clock is .* behind/ : /Your clock is .* ahead/);
    });
  }

  it("connects to a gateway whose Date header is wrong", async () => {
    const { step } = await gatewayOnly(dated(() => Date.now() + 47_000, judgingTime(0)));
    assert.equal(step("Clock").status, "warning");
    assert.equal(step("Gateway credential").status, "passed");
    assert.equal(step("GPU servers").status, "passed");
  });

  it("connects although this machine's clock is two days off, and reports the difference", async () => {
    const aheadMs = 48 * 3_600_000;
    const { step } = await gatewayOnly(dated(() => Date.now() + aheadMs, judgingTime(aheadMs)));
    assert.match(step("Clock").summary, /48 h behind/);
    assert.equal(step("Gateway credential").status, "passed");
    assert.equal(step("GPU servers").status, "passed");
  });

  for (const [what, listener, cause] of [
    [
      "an access key that the gateway doesn't know",
      refuse("ERR_SIGNATURE", "access key AKX does not exist"),
      /says the access key isn't accepted\.$/,
    ],
    [
      "a gateway without a clock",
      dated(() => undefined, refuse("ERR_SIGNATURE")),
      /clock may be the cause\.$/,
    ],
  ] as const) {
    it(`names ${what} without blaming the rest of the key`, async () => {
      const { step } = await gatewayOnly(listener);
      assert.match(step("Gateway credential").summary, cause);
    });
  }

  it("suspects a pair whose halves were probably swapped", async () => {
    const server = await harness.server(refuse("ERR_SIGNATURE"));
    const swapped = {
      kind: "accessKey",
      accessKey: key.apiSecret.padEnd(40, "x"),
      apiSecret: key.accessKey,
    } as const;
    const { step } = await diagnose(harness, { entry: { gatewayUrl: server.url }, credentials: [swapped] });
    assert.match(step("Gateway credential").summary, /may have been swapped/);
  });

  it("reports that the clocks can't be compared without a Date header", async () => {
    const { step } = await gatewayOnly(dated(() => undefined, judgingTime(0)));
    assert.equal(step("Clock").status, "warning");
    assert.match(step("Clock").summary, /sends no Date/);
    assert.equal(step("GPU servers").status, "passed");
  });

  it("offers another stored credential if this kind is not permitted", async () => {
    const gateway = await localGateway({ permittedTypes: ["SESSION"] });
    const { step } = await diagnose(harness, {
      entry: { gatewayUrl: gateway.gatewayUrl },
      credentials: credentialsOf(gateway),
    });
    assert.deepEqual(changesOf(step("Gateway credential")), [{ gatewayCredential: "sessionToken" }]);
  });

  it("names the source of a credential, and explains why it fails", async () => {
    const listener: RequestListener = (_, response) => void response.end('{"servers":[]}');
    const server = await harness.server(listener);
    const entry = {
      gatewayUrl: server.url,
      gatewayCredential: "stsToken",
      credentialCommand: ["sso", "print-token", "--account=canary"],
    };
    const token: Credential = { kind: "stsToken", token: "canary-token-0001" };
    const expiresAt = Date.now() + 600_000;
    const works = await diagnose(harness, {
      entry,
      ports: {
        readSecret: () => Promise.resolve({ state: "present", credential: token, savedAt: 0, expiresAt }),
      },
    });
    const step = works.step("Gateway credential");
    assert.deepEqual(
      [step.status, step.facts?.[0]],
      ["passed", { label: "Supplied by", value: "the command “sso”" }],
    );
    const fails = await diagnose(harness, {
      entry,
      ports: {
        readSecret: () => Promise.resolve({ state: "unavailable", problem: "It failed.", isAllowed: true }),
      },
    });
    assert.equal(fails.step("Gateway credential").summary, "It failed.");
    assert.equal(fails.step("GPU servers").status, "skipped");
    assert.equal(`${works.text}${fails.text}`.includes("canary"), false);
  });

  it("detects that a token has expired", async () => {
    const payload = Buffer.from('{"exp":1700000000}').toString("base64url");
    const server = await harness.server(refuse("ERR_STS_UNAUTHORIZED"));
    const { step, text } = await diagnose(harness, {
      entry: { gatewayUrl: server.url, gatewayCredential: "stsToken" },
      credentials: [{ kind: "stsToken", token: `eyJhbGciOiJIUzI1NiJ9.${payload}.canarysignature` }],
    });
    assert.match(step("Gateway credential").summary, /has expired/);
    assert.doesNotMatch(text, /canarysignature/);
  });

  it("reports which proxy is used and why, and connects through it", async () => {
    const authority = createAuthority("Canary Corp Root");
    const server = await harness.server(judgingTime(0), authority.issue(["gateway.test"]));
    const proxy = await startProxy({ upstreamPort: server.port });
    harness.onClose(() => proxy.close());
    const given = {
      entry: { gatewayUrl: "https://gateway.test" },
      credentials: [key],
      issuers: [authority.certificate],
    };
    const through = await diagnose(harness, {
      ...given,
      network: { environment: { HTTPS_PROXY: proxy.url } },
    });
    assert.match(through.step("Proxy").summary, /environment variable HTTPS_PROXY/);
    assert.equal(through.step("GPU servers").status, "passed");
    const kept = await diagnose(harness, { ...given, network: { proxyUrl: proxy.url, noProxy: ["*.test"] } });
    assert.match(kept.step("Proxy").summary, /http\.noProxy contains “\*\.test”/);
    assert.match(kept.step("Connection (TCP)").summary, /reachable through the proxy/);
    assert.equal(kept.step("GPU servers").status, "skipped");
  });

  it("names the profile's own proxy, which comes before every other setting", async () => {
    const server = await harness.server((_, response) => void response.end('{"data":[]}'));
    const proxyOf = async (proxy: string): Promise<string> => {
      const entry = { inferenceBaseUrl: `${server.url}/v1`, proxy };
      return (await diagnose(harness, { entry, network: { proxySupport: "off" } })).step("Proxy").summary;
    };
    assert.equal(await proxyOf("direct"), "The profile doesn't use a proxy.");
    assert.match(await proxyOf("http://127.0.0.1:9"), /^Using the proxy 127\.0\.0\.1:9 \(from the profile\)/);
  });

  it("shows the message of a proxy that refuses the connection", async () => {
    const proxy = await startProxy({ upstreamPort: 1, refuseWith: 407 });
    harness.onClose(() => proxy.close());
    const { step } = await diagnose(harness, {
      entry: { gatewayUrl: "https://gateway.test" },
      network: { proxyUrl: proxy.url },
    });
    assert.match(step("Connection (TCP)").summary, /requires a user name and password/);
  });

  it("finds the service at another path, and offers to change the URL", async () => {
    const server = await harness.server((request, response) => {
      if (request.url === "/v1/models") response.end('{"data":[]}');
      else response.writeHead(404).end('{"message":"no"}');
    });
    const { step } = await diagnose(harness, { entry: { inferenceBaseUrl: `${server.url}/api` } });
    assert.deepEqual(changesOf(step("HTTP response")), [{ inferenceBaseUrl: `${server.url}/v1` }]);
  });

  it("keeps its findings when the user cancels, and skips the rest", async () => {
    const gateway = await localGateway({});
    const controller = new AbortController();
    const { report } = await diagnose(harness, {
      entry: { gatewayUrl: gateway.gatewayUrl },
      credentials: credentialsOf(gateway),
      signal: controller.signal,
      onStep: (title) => title === "HTTP response" && controller.abort(),
    });
    const statuses = report.sections[1]?.steps.map(({ status }) => status);
    assert.deepEqual(statuses, [
      "passed",
      "passed",
      "passed",
      "passed",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
    ]);
  });

  it("shows server text without links or images", async () => {
    const attack = "![x](https://evil.example/p.png) [y](command:z) <img src=x> `a` https://evil.example";
    const { text } = await gatewayOnly((_, response) => {
      response
        .writeHead(401, { server: attack })
        .end(JSON.stringify({ code: "ERR_SIGNATURE", message: attack }));
    });
    const outside = text.replace(/`[^`\n]*`/g, "").replace(/\\./g, "");
    assert.doesNotMatch(outside, /!\[|\]\(|<img|`/);
  });
});
