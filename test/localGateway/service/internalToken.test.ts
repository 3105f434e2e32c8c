import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { SignJWT } from "jose";
import { signIdentity, verifyIdentity } from "../../../src/localGateway/gpu/identityToken.ts";
import { StsTokens } from "../../../src/localGateway/gpu/stsTokens.ts";
import { HttpFailure } from "../../../src/localGateway/http/reply.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

const identity = { userId: "user", account: "account" };
const key = randomBytes(32);

function isRefused(error: unknown): boolean {
  return error instanceof HttpFailure && error.statusCode === 401;
}

describe("The internal identity token", () => {
  it("contains the user's identity for the backend", async () =>
    assert.deepEqual(await verifyIdentity(await signIdentity(identity, key), key), identity));
  it("is rejected if it was signed with another key", async () =>
    assert.rejects(verifyIdentity(await signIdentity(identity, randomBytes(32)), key)));

  const claims = { account: "account", iss: "local-gateway", aud: "gpu-backend", sub: "user" };
  const sign = (changes: object, expiry: string): Promise<string> =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime(expiry)
      .sign(key);
  it("is accepted with the claims that the following tests start from", async () =>
    assert.deepEqual(await verifyIdentity(await sign({}, "30s"), key), identity));
  it("is rejected after it has expired", async () =>
    assert.rejects(verifyIdentity(await sign({}, "-1s"), key)));
  it("is rejected if it has another audience", async () =>
    assert.rejects(verifyIdentity(await sign({ aud: "other" }, "30s"), key)));
  it("is rejected if it has another issuer", async () =>
    assert.rejects(verifyIdentity(await sign({ iss: "other" }, "30s"), key)));
  it("is rejected if it isn't a token at all", () => assert.rejects(verifyIdentity("x.y.z", key)));
});

describe("The backend", () => {
  let gateway: RunningLocalGateway;
  before(async () => {
    gateway = await startLocalGateway({ port: 0 });
  });
  after(() => gateway.stop());

  const ask = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${gateway.backendUrl}/servers`, { headers });
    await response.text();
    return response.status;
  };
  it("refuses a request without a token", async () => assert.equal(await ask({}), 401));
  it("rejects every user credential", async () => {
    const { credentials } = gateway;
    for (const secret of Object.values(credentials)) {
      assert.equal(await ask({ authorization: `Bearer ${secret}` }), 401);
      assert.equal(await ask({ authorization: secret, "sts-token": secret }), 401);
    }
  });
  it("refuses a token signed with a key that is not the gateway's", async () =>
    assert.equal(await ask({ authorization: `Bearer ${await signIdentity(identity, key)}` }), 401));
});

describe("The token service", () => {
  it("issues tokens that are valid until they expire", async () => {
    let nowMs = 1_800_000_000_000;
    const tokens = new StsTokens(() => nowMs);
    const token = await tokens.issue(identity, 60);
    assert.deepEqual(await tokens.validate(token), identity);
    nowMs += 59_000;
    assert.deepEqual(await tokens.validate(token), identity);
    nowMs += 1_000;
    await assert.rejects(tokens.validate(token), isRefused);
  });
  it("rejects the gateway's internal token", async () => {
    const tokens = new StsTokens(() => Date.now());
    await assert.rejects(tokens.validate(await signIdentity(identity, key)), isRefused);
  });

  let gateway: RunningLocalGateway;
  before(async () => {
    gateway = await startLocalGateway({ port: 0 });
  });
  after(() => gateway.stop());

  const issue = (headers: Record<string, string>, body = ""): Promise<Response> =>
    fetch(`${gateway.gatewayUrl}/sts/v1/tokens`, { method: "POST", headers, body });
  it("issues a token to an authenticated client", async () => {
    const response = await issue(
      { authorization: gateway.credentials.sessionToken },
      '{"duration_seconds":60}',
    );
    const { token, expires_in } = (await response.json()) as { token: string; expires_in: number };
    assert.equal(expires_in, 60);
    const servers = await fetch(`${gateway.gatewayUrl}/gpu/api/v1/servers`, {
      headers: { "sts-token": token },
    });
    await servers.text();
    assert.equal(servers.status, 200);
  });
  it("issues no token to a client that has only an STS token", async () => {
    const response = await issue({ "sts-token": gateway.credentials.stsToken });
    assert.match(await response.text(), /ERR_AUTHTYPE/);
  });
  for (const body of ['{"duration_seconds":0}', '{"duration_seconds":1e9}', "[]", "{"]) {
    it(`refuses the body ${body}`, async () => {
      const response = await issue({ authorization: gateway.credentials.sessionToken }, body);
      await response.text();
      assert.equal(response.status, 400);
    });
  }
});
