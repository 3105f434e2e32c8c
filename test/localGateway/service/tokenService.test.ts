import assert from "node:assert/strict";
import { StsTokens } from "../../../src/localGateway/gpu/stsTokens.ts";
import { HttpFailure } from "../../../src/localGateway/http/reply.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

const identity = { userId: "user", account: "account" };

function isRefused(error: unknown): boolean {
  return error instanceof HttpFailure && error.statusCode === 401;
}

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
  it("rejects the token of another service", async () => {
    const token = await new StsTokens(() => Date.now()).issue(identity, 60);
    await assert.rejects(new StsTokens(() => Date.now()).validate(token), isRefused);
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
