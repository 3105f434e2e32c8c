import assert from "node:assert/strict";
import type { AccessKeyCredential } from "../../../src/core/kernel/credential.ts";
import { ClockOffsets } from "../../../src/gateway/auth/clockOffset.ts";
import { requestServerList } from "../../../src/gateway/servers/gatewayClient.ts";
import { sign } from "../../../src/gateway/auth/signature.ts";
import { gatewayProfile } from "../../support/gatewayProfile.ts";
import { failureOf, Harness } from "./transportHarness.ts";

const credential: AccessKeyCredential = {
  kind: "accessKey",
  accessKey: "canary-AK",
  apiSecret: "canary-api-secret",
};
/** The true time is fixed in the middle of a second, so that the duration of a request can't affect edge cases. */
let truth = 0;
const second = 1_000;
const hour = 3_600 * second;

/**
 * A gateway that refuses requests more than 30 s off its clock (interface section 5.3), and may show a different clock.
 */
interface Adversary {
  /** The clock that it checks against, in milliseconds ahead of the true time. */
  judgesBy: number;
  /** The time in `Date`, in milliseconds ahead as well; or a fixed date; or no Date at all. */
  shows: number | Date | undefined;
  /** Our own clock, in milliseconds ahead as well. */
  ours: number;
  /** Additional fields of a refusal's body, derived from the clock that it checks against. */
  refusal(judgedMs: number): Record<string, unknown>;
  secret: string;
  /** Whether an error page of something in front of the gateway is returned. */
  isDown: boolean;
}

describe("A gateway's clock", () => {
  const harness = new Harness();
  beforeEach(() => {
    truth = Math.floor(Date.now() / 1_000) * 1_000 + 500;
  });
  afterEach(() => harness.close());

  /** @param isProxied Whether to use a proxy that responds itself, with a clock that is an hour ahead. */
  async function gateway(change: Partial<Adversary>, isProxied = false) {
    const adversary: Adversary = {
      judgesBy: 0,
      shows: change.judgesBy ?? 0,
      ours: 0,
      refusal: () => ({}),
      secret: "canary-api-secret",
      isDown: false,
      ...change,
    };
    const counts = { accepted: 0, refused: 0 };
    const server = await harness.server((request, response) => {
      const { judgesBy, shows, refusal, secret } = adversary;
      if (shows === undefined) response.sendDate = false;
      else {
        const shown = shows instanceof Date ? shows : new Date(truth + shows);
        response.setHeader("date", shown.toUTCString());
      }
      if (adversary.isDown) {
        response.writeHead(503).end("<html><title>Back soon</title></html>");
        return;
      }
      const query = new URL(request.url ?? "", "http://x").searchParams;
      const nonce = query.get("nonce") ?? "";
      const isFresh = Math.abs(Number(nonce) - (truth + judgesBy) / 1_000) <= 30;
      const key = { ...credential, apiSecret: secret };
      const signature = sign({ parameters: [], nonce, credential: key, options: gatewayProfile.signature });
      if (isFresh && signature === query.get("signature")) {
        counts.accepted++;
        response.end('{"servers":[{"id":"a","name":"gpu-1"}]}');
        return;
      }
      counts.refused++;
      response.statusCode = 401;
      response.end(JSON.stringify({ code: "ERR_SIGNATURE", ...refusal(truth + judgesBy) }));
    });
    const url = isProxied ? "http://gateway.example" : server.url;
    const proxy = isProxied ? await lateProxy() : {};
    const told: string[] = [];
    const now = (): number => truth + adversary.ours;
    const clockOffsets = new ClockOffsets();
    const sender = {
      transport: harness.transport(proxy, { now }),
      profile: { ...gatewayProfile, gatewayUrl: url, allowInsecureHttp: isProxied },
      readCredential: () => Promise.resolve(credential),
      clockOffsets,
      now,
      timeoutMs: () => 5_000,
      userAgent: "test",
      onClockCorrected: (sentence: string) => void told.push(sentence),
    };
    const list = async (): Promise<void> => {
      const { signal } = new AbortController();
      const { servers } = await requestServerList(sender, { signal });
      assert.equal(servers[0]?.name?.value, "gpu-1");
    };
    return { adversary, counts, told, list, clockOffsets, url };
  }

  async function lateProxy(): Promise<{ readonly proxyUrl: string }> {
    const { url } = await harness.server((_, response) => {
      response.setHeader("date", new Date(Date.now() + hour).toUTCString());
      response.writeHead(503).end("The proxy can't reach it.");
    });
    return { proxyUrl: url };
  }

  for (const [offsetMs, words] of [
    [25 * second, undefined],
    [-25 * second, undefined],
    [31 * second, /31 s behind/],
    [-31 * second, /(?:31|30) s ahead/],
    [45 * second, /45 s behind/],
    [-45 * second, /45 s ahead/],
    [5 * hour, /5 h behind/],
    [-5 * hour, /5 h ahead/],
    [50 * hour, /50 h behind/],
  ] as const) {
    it(`may be ${offsetMs / 1_000} s off, which is corrected and reported once if it has to be`, async () => {
      const { list, counts, told } = await gateway({ judgesBy: offsetMs });
      for (let round = 0; round < 4; round++) await list();
      assert.deepEqual(counts, { accepted: 4, refused: words === undefined ? 0 : 1 });
      assert.equal(told.length, words === undefined ? 0 : 1);
      if (words === undefined) return;
      assert.match(told[0] ?? "", words);
      assert.match(told[0] ?? "", /corrected/);
    });
  }

  it("may jump forward and back between requests, and so may this machine's", async () => {
    const { list, counts, adversary } = await gateway({});
    for (const offsetMs of [0, 45 * second, -2 * hour, 0]) {
      adversary.judgesBy = offsetMs;
      adversary.shows = offsetMs;
      await list();
      await list();
    }
    assert.deepEqual(counts, { accepted: 8, refused: 3 });
    for (const offsetMs of [90 * second, -hour, 0]) {
      adversary.ours = offsetMs;
      await list();
      await list();
    }
    assert.deepEqual(counts, { accepted: 14, refused: 6 });
  });

  it("may be wrong in the Date header by any amount while signatures are checked with the right time", async () => {
    for (const shows of [45 * second, -45 * second, 9 * hour, -23 * hour, new Date("2001-01-01T00:00:00Z")]) {
      const { list, counts, told } = await gateway({ shows });
      for (let round = 0; round < 4; round++) await list();
      assert.deepEqual([counts, told], [{ accepted: 4, refused: 0 }, []]);
    }
  });

  it("isn't corrected with a Date header with which the signature is rejected too", async () => {
    const { list, counts, adversary } = await gateway({ shows: hour, secret: "another" });
    assert.match((await failureOf(list())).message, /the clock may be the cause/);
    assert.equal(counts.refused, 2);
    adversary.secret = "canary-api-secret";
    await list();
    assert.deepEqual(counts, { accepted: 1, refused: 2 });
  });

  it("may be unknown, and then the rejection names this machine's clock as a possible cause", async () => {
    const { list, counts } = await gateway({ judgesBy: 45 * second, shows: undefined });
    const { reason, message } = await failureOf(list());
    assert.equal(reason, "signature");
    assert.match(message, /doesn't report its time, so this machine's clock may be the cause/);
    assert.equal(counts.refused, 1);
  });

  it("may differ from its own Date header, as only the error message shows", async () => {
    const refusal = (): Record<string, unknown> => ({ message: "nonce expired" });
    const { list } = await gateway({ judgesBy: 45 * second, shows: 0, refusal });
    const { message } = await failureOf(list());
    assert.match(message, /rejected the timestamp, but/);
    assert.doesNotMatch(message, /agrees with/);
  });

  it("is not blamed for a wrong secret, however far it is off, and the right secret works afterward", async () => {
    for (const judgesBy of [0, 45 * second, -5 * hour]) {
      const { list, counts, adversary } = await gateway({ judgesBy, secret: "another" });
      for (let round = 0; round < 3; round++) {
        const { message, reason } = await failureOf(list());
        assert.equal(reason, "signature");
        // The Date may come from a different clock than the one used for checking, so it proves nothing.
        assert.match(
          message,
          judgesBy === 0 ? /agrees with the time in the gateway's response/ : /the clock may be the cause/,
        );
      }
      assert.equal(counts.refused, judgesBy === 0 ? 3 : 6);
      adversary.secret = "canary-api-secret";
      await list();
      assert.equal(counts.accepted, 1);
      adversary.secret = "another";
      const { message } = await failureOf(list());
      assert.match(message, judgesBy === 0 ? /clock agrees with/ : /differs by (?:4\d s|5 h) from/);
    }
  });

  it("may be misreported by an error page, which changes nothing", async () => {
    const { list, counts, adversary } = await gateway({});
    await list();
    adversary.isDown = true;
    adversary.shows = hour;
    assert.equal((await failureOf(list())).reason, "unavailable");
    adversary.isDown = false;
    adversary.shows = 0;
    await list();
    await list();
    assert.deepEqual(counts, { accepted: 3, refused: 0 });
  });

  it("is not taken from a proxy that responds instead of the gateway", async () => {
    const { list, told, clockOffsets, url } = await gateway({}, true);
    assert.equal((await failureOf(list())).reason, "unavailable");
    assert.equal(clockOffsets.of(new URL(url).origin).offsetMs, 0);
    assert.deepEqual(told, []);
  });
});
