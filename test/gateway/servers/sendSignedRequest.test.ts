import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { GatewayCredential } from "../../../src/core/kernel/credential.ts";
import { parseProfiles } from "../../../src/core/account/parseProfiles.ts";
import type { SignedRequestDraft } from "../../../src/core/servers/actions/signedRequest.ts";
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

  const once = { isOnce: true, method: "GET", path: "/servers/1/stop", parameters: [] } as const;

  for (const [what, respond] of Object.entries<(response: ServerResponse) => void>({
    "the credential is refused": (response) =>
      void response
        .writeHead(401, { date: new Date(Date.now() - 3_600_000).toUTCString() })
        .end('{"code":"ERR_SIGNATURE","message":"expired nonce"}'),
    "the connection is lost": (response) => void response.socket?.destroy(),
    "the service is unavailable": (response) => void response.writeHead(503, { "retry-after": "0" }).end(),
    "it is redirected": (response) => void response.writeHead(307, { location: "/servers/2/stop" }).end(),
  })) {
    it(`sends an action once, even if ${what}`, async () => {
      const paths: string[] = [];
      const server = await harness.server((request, response) => {
        paths.push(new URL(request.url ?? "", "http://x").pathname);
        if (paths.length === 1) response.end("{}");
        else respond(response);
      });
      await send(server.url, { method: "GET", path: "/servers", parameters: [] });
      await send(server.url, once).catch(() => undefined);
      assert.deepEqual(paths, ["/servers", "/servers/1/stop"]);
    });
  }

  for (const body of [
    { success: false, msg: "no such machine" },
    { status: "error", message: "no such machine" },
    { errors: [{ message: "no such machine" }], data: null },
    { code: 50001, message: "no such machine" },
    { error: { code: "not_found", message: "no such machine" } },
  ])
    it(`reports ${JSON.stringify(body)} with status 200 as a failure`, async () => {
      const server = await harness.server((_, response) => void response.end(JSON.stringify(body)));
      assert.match((await send(server.url, once)).problem ?? "", /no such machine/);
    });

  for (const body of [
    "",
    "{}",
    '{"success":true}',
    '{"id":"a","status":"in-progress"}',
    '{"code":0,"message":"ok"}',
  ])
    it(`takes ${JSON.stringify(body)} with status 200 for a success`, async () => {
      const server = await harness.server((_, response) => void response.end(body));
      assert.equal((await send(server.url, once)).problem, undefined);
    });
});
