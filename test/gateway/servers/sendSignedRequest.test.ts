import assert from "node:assert/strict";
import type { GatewayCredential } from "../../../src/core/kernel/credential.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { SignedRequestDraft } from "../../../src/core/servers/signedRequest/signedRequest.ts";
import { ClockOffsets } from "../../../src/gateway/auth/clockOffset.ts";
import { sendSignedRequest } from "../../../src/gateway/servers/sendSignedRequest.ts";
import { sign } from "../../../src/gateway/auth/signature.ts";
import { readRequestBody } from "../../support/httpServer.ts";
import { failureOf, Harness } from "../http/transportHarness.ts";

const accessKey: GatewayCredential = {
  kind: "accessKey",
  accessKey: "canary-access-key-0001",
  apiSecret: "canary-api-secret-0001",
};

describe("Sending a signed request", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  function send(gatewayUrl: string, draft: SignedRequestDraft) {
    const [profile] = parseProfiles([{ name: "p", gatewayUrl, serverListQuery: { pageIdx: "1" } }]).profiles;
    if (profile === undefined) throw new Error("The profile can't be read.");
    const options = {
      transport: harness.transport(),
      profile,
      readCredential: () => Promise.resolve(accessKey),
      clockOffsets: new ClockOffsets(),
      now: () => Date.now(),
      timeoutMs: () => 5_000,
      userAgent: "inference-gateway-test",
    };
    return sendSignedRequest(options, draft, new AbortController().signal);
  }

  it("signs method, path and parameters under the gateway URL, and sends the body", async () => {
    let seen: { method: string; url: URL; body: string } | undefined;
    const server = await harness.server((request, response) => {
      void readRequestBody(request).then((body) => {
        seen = { method: request.method ?? "", url: new URL(request.url ?? "", "http://x"), body };
        response.end('{"id":9007199254740993}');
      });
    });
    const answer = await send(`${server.url}/base`, {
      method: "PATCH",
      path: "/gpu/api/v1/servers/1",
      parameters: [
        ["b", "2"],
        ["a", "1"],
      ],
      body: '{"name":"x"}',
    });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.text, '{"id":9007199254740993}');
    assert.equal(seen?.method, "PATCH");
    assert.equal(seen.url.pathname, "/base/gpu/api/v1/servers/1");
    assert.equal(seen.body, '{"name":"x"}');
    assert.equal(seen.url.searchParams.get("pageIdx"), null);
    const nonce = seen.url.searchParams.get("nonce") ?? "";
    const parameters = [
      ["a", "1"],
      ["b", "2"],
    ] as const;
    const options = { encoding: "hex", emptyValues: "omit" } as const;
    assert.equal(
      seen.url.searchParams.get("signature"),
      sign({ parameters, nonce, credential: accessKey, options }),
    );
    assert.doesNotMatch(answer.url, /canary|signature|nonce/);
  });

  it("returns any status, body and explanation, without echoed credentials", async () => {
    const server = await harness.server((request, response) => {
      response.writeHead(422).end(JSON.stringify({ code: "BAD_SIZE", message: `no ${request.url ?? ""}` }));
    });
    const answer = await send(server.url, { method: "POST", path: "/gpu/api/v1/x", parameters: [] });
    assert.equal(answer.statusCode, 422);
    assert.match(answer.text, /BAD_SIZE/);
    assert.match(answer.problem ?? "", /422/);
    assert.doesNotMatch(JSON.stringify(answer), /canary/);
  });

  it("rejects a path outside the gateway", async () => {
    const server = await harness.server((_, response) => void response.end("{}"));
    const draft = { method: "GET", path: "/../../x", parameters: [] } as const;
    assert.equal((await failureOf(send(`${server.url}/base`, draft))).reason, "configuration");
    assert.equal(server.urls.length, 0);
  });
});
