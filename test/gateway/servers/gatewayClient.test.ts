import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GatewayCredential } from "../../../src/core/kernel/credential.ts";
import type { Profile } from "../../../src/core/account/profile.ts";
import { ClockOffsets } from "../../../src/gateway/auth/clockOffset.ts";
import type { GatewaySenderOptions } from "../../../src/gateway/auth/gatewaySender.ts";
import { requestServerList } from "../../../src/gateway/servers/gatewayClient.ts";
import { sign } from "../../../src/gateway/auth/signature.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";
import { failureOf, Harness } from "../http/transportHarness.ts";

const accessKey: GatewayCredential = {
  kind: "accessKey",
  accessKey: "canary-AK+/=",
  apiSecret: "canary-api-secret",
};
const sessionToken: GatewayCredential = { kind: "sessionToken", token: "canary.session-token" };
const stsToken: GatewayCredential = { kind: "stsToken", token: "canary/sts+token=" };

type Answer = (request: Seen, response: ServerResponse) => void;

/** A request as received by the server. */
interface Seen {
  readonly path: string;
  readonly parameters: readonly (readonly [string, string])[];
  readonly headers: IncomingMessage["headers"];
}

const oneServer: Answer = (_, response) => void response.end('{"servers":[{"id":"a","name":"gpu-1"}]}');

function refuse(code: string): Answer {
  return (_, response) => void response.writeHead(401).end(JSON.stringify({ code, message: "no" }));
}

describe("The GPU gateway client", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  async function gateway(
    answers: readonly Answer[],
    credential: GatewayCredential | undefined,
    change: Partial<Profile> = {},
    options: Partial<GatewaySenderOptions> = {},
  ): Promise<{ client: GatewaySenderOptions; seen: Seen[]; url: string; log: string[] }> {
    const seen: Seen[] = [];
    const log: string[] = [];
    const server = await harness.server((request, response) => {
      const url = new URL(request.url ?? "", "http://x");
      const recorded = { path: url.pathname, parameters: [...url.searchParams], headers: request.headers };
      seen.push(recorded);
      (answers[seen.length - 1] ?? answers.at(-1) ?? oneServer)(recorded, response);
    });
    const client = {
      transport: harness.transport(),
      profile: { ...gatewayProfile, gatewayUrl: server.url, ...change },
      readCredential: () => Promise.resolve(credential),
      clockOffsets: new ClockOffsets(),
      now: () => Date.now(),
      timeoutMs: () => 5_000,
      userAgent: "inference-gateway-test",
      log: (line: string) => void log.push(line),
      ...options,
    };
    return { client, seen, url: server.url, log };
  }

  const list = async (client: GatewaySenderOptions) =>
    requestServerList(client, { signal: new AbortController().signal });

  function value(seen: Seen | undefined, name: string): string | undefined {
    return seen?.parameters.find(([parameter]) => parameter === name)?.[1];
  }

  it("never signs the same content twice, however often a list is requested within one second", async () => {
    const { client, seen } = await gateway(
      Array.from({ length: 8 }, () => oneServer),
      accessKey,
    );
    const began = Math.floor(Date.now() / 1_000);
    await Promise.all(Array.from({ length: 8 }, () => list(client)));
    const nonces = seen.map((request) => Number(value(request, "nonce")));
    assert.equal(new Set(nonces).size, 8);
    assert.ok(
      nonces.every((nonce) => nonce >= began && nonce <= began + 20),
      nonces.join(),
    );
  });

  it("lists the servers", async () => {
    const { client, seen } = await gateway([oneServer], accessKey);
    const { servers } = await list(client);
    assert.equal(servers[0]?.name?.value, "gpu-1");
    assert.equal(seen[0]?.path, "/gpu/api/v1/servers");
    assert.equal(seen[0]?.headers["user-agent"], "inference-gateway-test");
  });

  it("finds the path however much of it the setting already contains", async () => {
    for (const end of ["", "/", "/gpu/api/v1", "/gpu/api/v1/", "/gpu/api/v1/servers"]) {
      const { seen, url } = await gateway([oneServer], accessKey);
      const { client } = await gateway([], accessKey, { gatewayUrl: `${url}${end}` });
      await list(client);
      assert.equal(seen[0]?.path, "/gpu/api/v1/servers", end);
    }
  });

  it("signs exactly what the server decodes", async () => {
    const serverListQuery = { pageSize: "1+1 =2%20&é'", pageIdx: "1", ä: "", B: "x" };
    for (const options of [
      { encoding: "hex", emptyValues: "omit" },
      { encoding: "base64", emptyValues: "keep" },
    ] as const) {
      const { client, seen } = await gateway([oneServer], accessKey, { serverListQuery, signature: options });
      await list(client);
      const [request] = seen;
      assert.ok(request !== undefined && accessKey.kind === "accessKey");
      assert.equal(request.headers["x-auth-type"], "AK");
      assert.equal(value(request, "access_key"), accessKey.accessKey);
      const nonce = value(request, "nonce") ?? "";
      assert.match(nonce, /^\d{10}$/);
      const { parameters } = request;
      assert.equal(value(request, "signature"), sign({ parameters, nonce, credential: accessKey, options }));
      for (const entry of Object.entries(serverListQuery)) assert.equal(value(request, entry[0]), entry[1]);
    }
  });

  const carriers: readonly (readonly [
    string,
    GatewayCredential,
    Partial<Profile>,
    Record<string, string>,
  ])[] = [
    ["header Authorization", sessionToken, {}, { authorization: "canary.session-token" }],
    [
      "cookie User-Token-V1",
      sessionToken,
      { sessionTokenCarrier: "cookie" },
      { cookie: "User-Token-V1=canary.session-token" },
    ],
    ["query token", sessionToken, { sessionTokenCarrier: "query" }, { "?token": "canary.session-token" }],
    [
      "cookie OU-Token-V1",
      sessionToken,
      { sessionTokenCarrier: "ouCookie" },
      { cookie: "OU-Token-V1=canary.session-token" },
    ],
    ["header STS-Token", stsToken, {}, { "sts-token": "canary/sts+token=" }],
    ["cookie STS-Token", stsToken, { stsTokenCarrier: "cookie" }, { cookie: "STS-Token=canary/sts+token=" }],
    ["query STS-Token", stsToken, { stsTokenCarrier: "query" }, { "?STS-Token": "canary/sts+token=" }],
  ];
  for (const [name, credential, change, expected] of carriers) {
    it(`sends the credential in the ${name} and nowhere else`, async () => {
      const { client, seen } = await gateway([oneServer], credential, change);
      await list(client);
      const [request] = seen;
      assert.ok(request !== undefined);
      const parameters = request.parameters.map(([parameter, text]) => [`?${parameter}`, text]);
      const all = [...Object.entries(request.headers), ...parameters];
      const carrying = all.filter(([, text]) => String(text).includes("canary"));
      assert.deepEqual(Object.fromEntries(carrying), expected);
      assert.equal(request.headers["x-auth-type"], undefined);
    });
  }

  it("rejects a token that can't be sent unchanged", async () => {
    const cases: readonly (readonly [string, Partial<Profile>])[] = [
      ["canary; a=b", { sessionTokenCarrier: "cookie" }],
      ["canary two", { sessionTokenCarrier: "ouCookie" }],
      ["canary\r\nx-evil: 1", {}],
      ["canary\u20ac", {}],
      ["", {}],
    ];
    for (const [token, change] of cases) {
      const { client, seen } = await gateway([oneServer], { kind: "sessionToken", token }, change);
      const error = await failureOf(list(client));
      assert.equal(error.reason, "configuration");
      assert.ok(!error.message.includes("canary"));
      assert.equal(seen.length, 0);
    }
  });

  it("rejects a setting that contains a credential", async () => {
    for (const name of ["token", "STS-Token", "access_key", "nonce", "signature"]) {
      const { client, seen } = await gateway([oneServer], accessKey, {
        serverListQuery: { [name]: "canary" },
      });
      assert.equal((await failureOf(list(client))).reason, "configuration");
      assert.equal(seen.length, 0);
    }
    const headers = {
      Cookie: "User-Token-V1=canary",
      "STS-Token": "canary",
      Authorization: "canary",
      "X-Org": "1",
    };
    const { client, seen } = await gateway([oneServer], accessKey, { headers });
    await list(client);
    assert.ok(!JSON.stringify(seen[0]?.headers).includes("canary"));
    assert.equal(seen[0]?.headers["x-org"], "1");
  });

  it("names the command that sets the missing credential, and sends nothing", async () => {
    const { client, seen } = await gateway([oneServer], undefined, { gatewayCredential: "stsToken" });
    const error = await failureOf(list(client));
    assert.equal(error.reason, "missingCredential");
    assert.match(error.message, /no STS token .* Run “Inference Gateway: Set Credential…”/);
    assert.equal(seen.length, 0);
  });

  it("sends a request that fails only once", async () => {
    const { client, seen } = await gateway([(_, response) => void response.writeHead(503).end()], accessKey);
    assert.equal((await failureOf(list(client))).reason, "unavailable");
    assert.equal(seen.length, 1);
  });

  it("signs a rejected request again, once, with the server's time", async () => {
    const told: string[] = [];
    const strict: Answer = (request, response) => {
      const isFresh = Math.abs(Number(value(request, "nonce")) - Date.now() / 1_000) <= 30;
      (isFresh ? oneServer : refuse("ERR_SIGNATURE"))(request, response);
    };
    const now = (): number => Date.now() + 3_600_000;
    const options = {
      now,
      transport: harness.transport({}, { now }),
      onClockCorrected: (sentence: string) => void told.push(sentence),
    };
    const { client, seen } = await gateway([strict], accessKey, {}, options);
    await list(client);
    assert.equal(seen.length, 2);
    assert.match(told.join(), /^Your clock is 60 min ahead of .*corrected/);
    await list(client);
    assert.equal(seen.length, 3);
  });

  it("doesn't retry a rejected signature if the clock is right", async () => {
    const { client, seen } = await gateway([refuse("ERR_SIGNATURE")], accessKey);
    const error = await failureOf(list(client));
    assert.deepEqual([error.reason, error.facts.code, seen.length], ["signature", "ERR_SIGNATURE", 1]);
  });

  it("gives up if the signature is rejected with the right time too", async () => {
    const now = (): number => Date.now() - 3_600_000;
    const options = { now, transport: harness.transport({}, { now }) };
    const { client, seen } = await gateway([refuse("ERR_SIGNATURE")], accessKey, {}, options);
    assert.equal((await failureOf(list(client))).reason, "signature");
    assert.equal(seen.length, 2);
  });

  it("explains whether the clock, the access key or the API secret caused a rejected signature", async () => {
    const refusals: readonly (readonly [answer: Answer, cause: RegExp])[] = [
      [refuse("ERR_SIGNATURE"), /clock agrees with the time in the gateway's response/],
      [
        (request, response) => {
          response.sendDate = false;
          refuse("ERR_SIGNATURE")(request, response);
        },
        /doesn't report its time/,
      ],
      [
        (_, response) =>
          void response.writeHead(401).end('{"code":"ERR_SIGNATURE","message":"access key not found"}'),
        /access key isn't accepted/,
      ],
      ...(
        [
          ["access key AKX does not exist", /access key isn't accepted/],
          ["The API secret is incorrect", /API secret is wrong/],
          ["signature does not match, check your secret", /API secret is wrong/],
          ["invalid access key or secret", /clock agrees with/],
          ["invalid signature for access key AKX", /clock agrees with/],
          ["request timestamp too old", /gateway's own clocks disagree/],
        ] as const
      ).map(([message, cause]): readonly [Answer, RegExp] => [
        (_, response) => void response.writeHead(401).end(JSON.stringify({ code: "ERR_SIGNATURE", message })),
        cause,
      ]),
    ];
    for (const [answer, cause] of refusals) {
      const { client } = await gateway([answer], accessKey);
      const { message, reason } = await failureOf(list(client));
      assert.equal(reason, "signature");
      assert.match(message, cause);
    }
  });

  it("distinguishes the four kinds of rejections", async () => {
    const reasons = [
      ["ERR_UNAUTHORIZED", "sessionToken"],
      ["ERR_STS_UNAUTHORIZED", "stsToken"],
      ["ERR_AUTHTYPE", "authenticationType"],
      ["ERR_SIGNATURE", "signature"],
    ];
    for (const [code = "", reason] of reasons) {
      const { client } = await gateway([refuse(code)], sessionToken);
      const error = await failureOf(list(client));
      assert.deepEqual([error.reason, error.facts.code], [reason, code]);
    }
  });

  it("finds no list in a web page, and no servers in an error with a success status", async () => {
    const page: Answer = (_, response) =>
      void response
        .writeHead(200, { "content-type": "text/html" })
        .end("<html><title>Sign in</title></html>");
    const { client } = await gateway([page], accessKey);
    assert.equal((await failureOf(list(client))).reason, "malformed");
    const hidden: Answer = (_, response) => void response.end('{"code":"ERR_AUTHTYPE","message":"no"}');
    const { client: other } = await gateway([hidden], accessKey);
    assert.equal((await failureOf(list(other))).reason, "authenticationType");
  });

  it("stops in the middle of the list, with the signal's reason", async () => {
    const controller = new AbortController();
    const slow: Answer = (_, response) =>
      void response.write("{", () => controller.abort(new Error("stopped")));
    const { client } = await gateway([slow], accessKey);
    await assert.rejects(requestServerList(client, { signal: controller.signal }), /stopped/);
  });

  it("shows no credential in any error or log line", async () => {
    const answers: readonly Answer[] = [
      refuse("ERR_SIGNATURE"),
      (_, response) => void response.destroy(),
      (request, response) => {
        const { authorization, cookie } = request.headers;
        const echo = JSON.stringify([
          request.parameters,
          authorization,
          cookie,
          request.headers["sts-token"],
        ]);
        response.writeHead(401).end(JSON.stringify({ message: `Unknown: ${echo}` }));
      },
      (request, response) =>
        void response.writeHead(302, { location: `https://x.example${request.path}` }).end(),
      (_, response) => void response.end("<html>no</html>"),
    ];
    for (const credential of [accessKey, sessionToken, stsToken]) {
      for (const answer of answers) {
        const carriersInQuery = { sessionTokenCarrier: "query", stsTokenCarrier: "query" } as const;
        const { client, log } = await gateway([answer], credential, carriersInQuery);
        const error = await failureOf(list(client));
        const cause =
          error.cause instanceof Error ? `${error.cause.stack} ${JSON.stringify(error.cause)}` : "";
        const shown = [error.stack, JSON.stringify(error), JSON.stringify(error.facts), cause, ...log].join(
          "\n",
        );
        assert.ok(!/canary|[0-9a-f]{64}/.test(shown), shown);
      }
    }
  });
});
