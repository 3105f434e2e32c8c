import assert from "node:assert/strict";
import { readTokenExpiry } from "../../../src/core/account/storedSecret.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import type { ServiceOptions } from "../../../src/localGateway/kernel/options.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";
import { signedQuery } from "../../support/localGatewaySignature.ts";

interface Answer {
  readonly status: number;
  readonly code: unknown;
  readonly body: unknown;
}

const serversPath = "/gpu/api/v1/servers";
const good = { status: 200, code: 0 };
const signatureKey = { "x-auth-type": "AK" };

function refused(code: string): { readonly status: number; readonly code: string } {
  return { status: 401, code };
}

describe("The local gateway's authentication", () => {
  let gateway: RunningLocalGateway;

  before(async () => {
    gateway = await startLocalGateway({ port: 0 });
  });
  after(() => gateway.stop());

  async function ask(query: string, headers: Record<string, string> = {}, on = gateway): Promise<Answer> {
    const response = await fetch(`${on.gatewayUrl}${serversPath}${query}`, { headers });
    const body: unknown = await response.json();
    return { status: response.status, code: isRecord(body) ? body["code"] : undefined, body };
  }
  async function expect(answer: Promise<Answer>, expected: object): Promise<void> {
    const { status, code } = await answer;
    assert.deepEqual({ status, code }, expected);
  }
  const session = (): string => gateway.credentials.sessionToken;
  const sts = (): string => gateway.credentials.stsToken;
  const nonce = (offBy = 0): string => String(Math.floor(Date.now() / 1000) + offBy);
  const signed = (
    parameters: readonly (readonly [string, string])[] = [],
    at = nonce(),
    key = gateway.credentials,
  ): string => `?${signedQuery(parameters, key, at)}`;

  async function startWith(
    options: Partial<ServiceOptions>,
    use: (other: RunningLocalGateway) => Promise<void>,
  ): Promise<void> {
    const other = await startLocalGateway({ port: 0, ...options });
    try {
      await use(other);
    } finally {
      await other.stop();
    }
  }

  describe("by session token", () => {
    const carriers = [
      { name: "cookie User-Token-V1", cookie: "User-Token-V1" },
      { name: "query token", query: true },
      { name: "header Authorization", header: true },
      { name: "cookie OU-Token-V1", cookie: "OU-Token-V1" },
    ] as const;
    type Carrier = (typeof carriers)[number];

    function send(values: readonly (readonly [Carrier, string])[]): Promise<Answer> {
      const cookies = values.flatMap(([carrier, value]) =>
        "cookie" in carrier ? [`${carrier.cookie}=${value}`] : [],
      );
      const query = values.find(([carrier]) => "query" in carrier)?.[1];
      const header = values.find(([carrier]) => "header" in carrier)?.[1];
      return ask(query === undefined ? "" : `?token=${encodeURIComponent(query)}`, {
        ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
        ...(header === undefined ? {} : { authorization: header }),
      });
    }

    for (const carrier of carriers) {
      it(`accepts the ${carrier.name}`, () => expect(send([[carrier, session()]]), good));
    }
    for (const [index, first] of carriers.entries()) {
      for (const second of carriers.slice(index + 1)) {
        it(`prefers the ${first.name} to the ${second.name}`, async () => {
          await expect(send([[first, session()], [second, "wrong"]]), good); // prettier-ignore
          await expect(send([[first, "wrong"], [second, session()]]), refused("ERR_UNAUTHORIZED")); // prettier-ignore
        });
        it(`skips an empty ${first.name} in favor of the ${second.name}`, () =>
          expect(send([[first, ""], [second, session()]]), good)); // prettier-ignore
      }
    }
    it("uses the first nonempty value of a repeated parameter or cookie", async () => {
      await expect(ask(`?token=&token=${session()}`), good);
      await expect(ask("", { cookie: `User-Token-V1=; User-Token-V1=${session()}` }), good);
    });
    it("expects the bare token in the header, without a scheme", () =>
      expect(ask("", { authorization: `Bearer ${session()}` }), refused("ERR_UNAUTHORIZED")));
    it("reads cookies without decoding them", () =>
      expect(
        ask("", { cookie: `User-Token-V1=${session().replace("-", "%2D")}` }),
        refused("ERR_UNAUTHORIZED"),
      ));
    it("refuses a request without any credential", () => expect(ask(""), refused("ERR_UNAUTHORIZED")));
    it("does not accept an API key as a session token", () =>
      expect(ask("", { authorization: gateway.credentials.apiKey }), refused("ERR_UNAUTHORIZED")));
  });

  describe("by STS token", () => {
    it("accepts cookie, query and header", async () => {
      await expect(ask("", { cookie: `STS-Token=${sts()}` }), good);
      await expect(ask(`?STS-Token=${sts()}`), good);
      await expect(ask("", { "sts-token": sts() }), good);
    });
    it("prefers the cookie to the query, and the query to the header", async () => {
      await expect(ask("?STS-Token=wrong", { cookie: `STS-Token=${sts()}`, "sts-token": "wrong" }), good);
      await expect(ask(`?STS-Token=${sts()}`, { "sts-token": "wrong" }), good);
      await expect(
        ask(`?STS-Token=${sts()}`, { cookie: "STS-Token=wrong" }),
        refused("ERR_STS_UNAUTHORIZED"),
      );
      await expect(ask("?STS-Token=wrong", { "sts-token": sts() }), refused("ERR_STS_UNAUTHORIZED"));
    });
    it("skips empty values", async () => {
      await expect(ask(`?STS-Token=${sts()}`, { cookie: "STS-Token=" }), good);
      await expect(ask("?STS-Token=", { cookie: "STS-Token=", "sts-token": sts() }), good);
    });
    it("doesn't expire during a demo", () => {
      const expiresAt = readTokenExpiry(sts()) ?? 0;
      assert.ok(expiresAt - Date.now() > 20 * 24 * 3_600_000);
    });

    it("is detected before a session token", () =>
      expect(ask("", { "sts-token": "wrong", authorization: session() }), refused("ERR_STS_UNAUTHORIZED")));
    it("rejects a token with a forged signature", () => {
      const [head, body, signature = ""] = sts().split(".");
      const forged = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
      return expect(ask("", { "sts-token": `${head}.${body}.${forged}` }), refused("ERR_STS_UNAUTHORIZED"));
    });
    it("rejects a token that declares no signature algorithm", () => {
      const head = Buffer.from('{"alg":"none"}').toString("base64url");
      return expect(
        ask("", { "sts-token": `${head}.${sts().split(".")[1]}.` }),
        refused("ERR_STS_UNAUTHORIZED"),
      );
    });
    it("rejects the token of another gateway", () =>
      startWith({}, (other) =>
        expect(ask("", { "sts-token": other.credentials.stsToken }), refused("ERR_STS_UNAUTHORIZED")),
      ));
  });

  describe("by access key", () => {
    const check = (query: string, expected: object): Promise<void> =>
      expect(ask(query, signatureKey), expected);

    it("accepts a valid signature", () => check(signed(), good));
    it("expects a signature over all other parameters, unencoded and sorted by bytes", () =>
      check(signed([["z", "1"], ["ä", "é ü"], ["a", "1+1=2%20&x"], ["B", "2"], ["𝒜", "3"], ["ﬀ", "4"]]), good)); // prettier-ignore
    it("excludes parameters with empty values from the signature", async () => {
      await check(`${signed([["a", "1"]])}&empty=`, good);
      await check(signed([["a", "1"], ["empty", ""]]), refused("ERR_SIGNATURE")); // prettier-ignore
    });
    it("includes empty values if configured to", () =>
      startWith({ emptyValues: "keep" }, async (other) => {
        const query = signedQuery([["empty", ""]], other.credentials, nonce());
        await expect(ask(`?${query}`, signatureKey, other), good);
        await expect(ask(`?${signedQuery([], other.credentials, nonce())}&empty=`, signatureKey, other), refused("ERR_SIGNATURE")); // prettier-ignore
      }));
    it("reads only base64 if configured to", () =>
      startWith({ signatureEncoding: "base64" }, async (other) => {
        const query = signedQuery([], other.credentials, nonce(), "base64");
        await expect(ask(`?${query}`, signatureKey, other), good);
        await expect(ask(`?${signedQuery([], other.credentials, nonce())}`, signatureKey, other), refused("ERR_SIGNATURE")); // prettier-ignore
      }));
    it("refuses parameters that were added, changed or removed", async () => {
      await check(`${signed([["a", "1"]])}&b=2`, refused("ERR_SIGNATURE"));
      await check(signed([["a", "1"]]).replace("a=1", "a=2"), refused("ERR_SIGNATURE"));
      await check(signed([["a", "1"]]).replace("a=1&", ""), refused("ERR_SIGNATURE"));
    });
    it("refuses a wrong secret and an unknown key", async () => {
      await check(
        signed([], nonce(), { ...gateway.credentials, apiSecret: "wrong" }),
        refused("ERR_SIGNATURE"),
      );
      await check(
        signed([], nonce(), { ...gateway.credentials, accessKey: "wrong" }),
        refused("ERR_SIGNATURE"),
      );
    });
    for (const signature of ["", "0", "0".repeat(63), "0".repeat(64), "0".repeat(65), "é".repeat(64)]) {
      it(`refuses a signature of ${signature.length} characters ${signature.slice(0, 1)}`, () =>
        check(signed().replace(/signature=.*/, `signature=${encodeURIComponent(signature)}`), refused("ERR_SIGNATURE"))); // prettier-ignore
    }
    it("refuses a signature in uppercase", () =>
      check(signed().replace(/signature=.*/, (text) => text.toUpperCase().replace("SIGNATURE", "signature")), refused("ERR_SIGNATURE"))); // prettier-ignore
    for (const name of ["access_key", "nonce", "signature"]) {
      it(`requires ${name} exactly once`, async () => {
        await check(signed().replace(new RegExp(`[?&]${name}=[^&]*`), "").replace(/^[?&]?/, "?"), refused("ERR_SIGNATURE")); // prettier-ignore
        await check(`${signed()}&${name}=x`, refused("ERR_SIGNATURE"));
      });
    }
    for (const text of ["", "abc", "1.5", "-1", "1e9", "0x10", " 1"]) {
      it(`refuses the nonce ${JSON.stringify(text)}`, () =>
        check(signed([], text), refused("ERR_SIGNATURE")));
    }
    it("refuses a nonce in milliseconds", () =>
      check(signed([], String(Date.now())), refused("ERR_SIGNATURE")));
    it("requires the header that selects this type", () =>
      expect(ask(signed()), refused("ERR_UNAUTHORIZED")));
    it("rejects another type in the header", () =>
      expect(ask(signed(), { "x-auth-type": "ak" }), refused("ERR_AUTHTYPE")));
    it("takes precedence over an STS token and a session token", async () => {
      const others = { "sts-token": "wrong", authorization: "wrong" };
      await expect(ask(signed(), { ...signatureKey, ...others }), good);
      const goods = { "sts-token": sts(), authorization: session() };
      await expect(ask("", { ...signatureKey, ...goods }), refused("ERR_SIGNATURE"));
    });
  });

  describe("with an offset clock", () => {
    const clockOffsetMs = 100_000;
    it("sends its time in the Date header", () =>
      startWith({ clockOffsetMs }, async (other) => {
        const before = Date.now();
        const response = await fetch(`${other.gatewayUrl}/healthz`);
        const date = Date.parse(response.headers.get("date") ?? "");
        assert.ok(date >= before + clockOffsetMs - 1_000 && date <= Date.now() + clockOffsetMs);
      }));
    it("checks the nonce against its time", () =>
      startWith({ clockOffsetMs }, async (other) => {
        const query = (offBy: number): string => `?${signedQuery([], other.credentials, nonce(offBy))}`;
        await expect(ask(query(100), signatureKey, other), good);
        await expect(ask(query(0), signatureKey, other), refused("ERR_SIGNATURE"));
      }));
  });

  describe("with fewer credential types permitted", () => {
    it("rejects each other type with ERR_AUTHTYPE, even if it is valid", async () => {
      await startWith({ permittedTypes: ["AK"] }, async (other) => {
        const { sessionToken, stsToken } = other.credentials;
        await expect(ask("", { authorization: sessionToken }, other), refused("ERR_AUTHTYPE"));
        await expect(ask("", { "sts-token": stsToken }, other), refused("ERR_AUTHTYPE"));
        await expect(ask(`?${signedQuery([], other.credentials, nonce())}`, signatureKey, other), good);
      });
      await startWith({ permittedTypes: ["SESSION", "STS_TOKEN"] }, async (other) => {
        await expect(ask(`?${signedQuery([], other.credentials, nonce())}`, signatureKey, other), refused("ERR_AUTHTYPE")); // prettier-ignore
        await expect(ask("", { authorization: other.credentials.sessionToken }, other), good);
      });
    });
  });

  it("includes the request ID in the body of a rejection", async () => {
    const response = await fetch(`${gateway.gatewayUrl}${serversPath}`);
    const body: unknown = await response.json();
    assert.ok(isRecord(body));
    assert.equal(body["request_id"], response.headers.get("x-request-id"));
    assert.match(String(body["message"]), /no credentials/);
  });
  for (const query of ["?token=%", "?token=%zz", "?a=%ff", "?%c3%28=1"]) {
    it(`refuses the query ${query}, which is not percent-encoded UTF-8`, async () =>
      assert.equal((await ask(query, { authorization: session() })).status, 400));
  }
});
