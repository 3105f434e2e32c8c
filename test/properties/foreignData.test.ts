import assert from "node:assert/strict";
import fc from "fast-check";
import { Redaction, redactionMark } from "../../src/core/account/redaction.ts";
import { ServiceError } from "../../src/core/kernel/errors.ts";
import { escapeInvisible, inertText, isVisible, sanitizeLabel } from "../../src/core/kernel/foreignText.ts";
import { parseMessage } from "../../src/core/kernel/pageMessages.ts";
import { fromWebview } from "../../src/core/panel/protocol.ts";
import type { FromWebview } from "../../src/core/panel/protocol.ts";
import { sshTargetOf, windowTarget } from "../../src/core/servers/connect/sshTarget.ts";
import { addInclude, putSshHost, removeInclude } from "../../src/core/servers/connect/sshHostsFile.ts";
import { parseFilter, quoteFilterValue } from "../../src/core/servers/filter/parseFilter.ts";
import { priceForm } from "../../src/core/servers/serverPrice.ts";
import { WholeLines } from "../../src/gateway/completion/eventStream.ts";
import { cleanServerText, parseErrorText } from "../../src/gateway/errors/serverText.ts";
import { parseExactJson } from "../../src/gateway/servers/exactJson.ts";
import { readPageEnd } from "../../src/gateway/servers/paging.ts";
import { readServerList } from "../support/readServerList.ts";

// A failure names its seed and the smallest input. PROPERTY_RUNS=20000 searches longer.
fc.configureGlobal({ numRuns: Number(process.env["PROPERTY_RUNS"] ?? 200) });

/** Text with what breaks readers: controls, marks that reorder or hide text, halves of characters, and syntax. */
const anyText = fc.string({
  unit: fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ..."\0\t\n\r\u200b\u202e\u2066\u00ad\ufeff\ud83d\udc00<>&\"'`$()[]{}|\\%;:/@,=-#*_ ",
      ),
    },
  ),
  maxLength: 60,
});

const name = fc.constantFrom(
  ...(
    "id name status state price cost hourly price_per_hour currency gpu gpus gpu_count ip address host port ssh user region " +
    "created_at started_at next cursor total page has_more error message code type detail items data servers url token"
  ).split(" "),
);

const scalar = fc.oneof(
  anyText,
  fc.constantFrom(
    "running",
    "RUNNING",
    "stopped",
    "8x H100",
    "203.0.113.7",
    "$2.49/h",
    "1.234,70 €",
    "ssh -p 22 a@b",
    "",
    "N/A",
  ),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

/** JSON of any shape whose names are those that the readers look for. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(name, anyText), tie("json"), { maxKeys: 6 }),
  ),
}));
const record = fc.dictionary(fc.oneof({ weight: 4, arbitrary: name }, anyText), json, { maxKeys: 10 });

describe("Properties of readers, for any input", () => {
  it("lines are complete and unchanged, however the bytes are split", () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(200)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
        const lines = new WholeLines();
        let read = "";
        for (const [index, end] of ends.entries()) {
          const part = lines.push(bytes.subarray(ends[index - 1] ?? 0, end));
          assert.match(part, /^$|[\r\n]$/);
          read += part;
        }
        assert.equal(read + lines.rest(), bytes.toString());
      }),
    );
  });

  it("a list of servers has each of its records, and only prices in the one form that is parsed", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), (records) => {
        const text = JSON.stringify({
          servers: records.map((each, index) => ({ ...each, id: `s-${index}`, status: "running" })),
        });
        const { servers } = readServerList(text);
        assert.deepEqual(
          servers.map(({ id }) => id?.value),
          records.map((_, index) => `s-${index}`),
        );
        for (const { price } of servers) if (price !== undefined) assert.match(price.value, priceForm);
      }),
      { examples: [[[{ gpu: 1e21, region: { price_per_hour: 999_999_999_999_500 } }]]] },
    );
  });

  it("a list of any other shape is read, or an error explains that there is none", () => {
    fc.assert(
      fc.property(json, (value) => {
        try {
          readServerList(JSON.stringify(value));
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
        }
      }),
    );
  });

  it("an SSH target has only harmless characters, and a host and a user that stand in the record", () => {
    fc.assert(
      fc.property(record, (each) => {
        const text = JSON.stringify([{ ...each, id: "s", status: "running" }]);
        for (const server of readServerList(text).servers) {
          const target = sshTargetOf(server);
          if (target === undefined) continue;
          assert.match(target.host, /^[\p{L}\p{N}][\p{L}\p{N}.:_-]*$/u);
          assert.ok(text.toLowerCase().includes(target.host.toLowerCase()), target.host);
          if (target.user !== undefined) assert.match(target.user, /^\w[\w.-]*$/);
          if (target.port !== undefined) assert.ok(target.port > 0 && target.port < 65_536);
        }
      }),
    );
  });

  it("the host of a remote window has only harmless characters, and begins with no dash", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .record(
          { hostName: fc.string(), user: fc.string(), port: fc.oneof(fc.integer(), fc.string()) },
          { requiredKeys: [] },
        )
        .map((host) => Buffer.from(JSON.stringify(host)).toString("hex")),
    );
    fc.assert(
      fc.property(name, (text) => {
        const { host = "a", user = "a", port = 1 } = windowTarget(`ssh-remote+${text}`) ?? {};
        assert.match(host, /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/);
        assert.match(user, /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/);
        assert.ok(port > 0 && port < 65_536);
        assert.equal(windowTarget(text.startsWith("ssh-remote+") ? "" : text), undefined);
      }),
    );
  });

  it("the next page of a list is at the origin that has the credential", () => {
    fc.assert(
      fc.property(record, fc.array(fc.tuple(name, anyText), { maxLength: 3 }), (document, headers) => {
        const url = new URL("https://gpu.example/servers?zone=eu");
        const end = readPageEnd({
          url,
          headers: Object.fromEntries(headers.map(([key, value]) => [`x-${key}`, value])),
          document,
          steps: [],
          count: 100,
          countSoFar: 100,
          index: 0,
        });
        if (end.state === "next") for (const way of end.ways) assert.equal(way.url.origin, url.origin);
      }),
    );
  });

  it("numbers of a record keep their digits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), (number) => {
        assert.ok(JSON.stringify(parseExactJson(`{"a":${number}}`)).includes(String(number)));
      }),
    );
  });

  it("an error is read from any body, and is shown on one short line without what is invisible or secret", () => {
    const secret = "sk-test-0123456789abcdef";
    fc.assert(
      fc.property(fc.oneof(anyText, json), anyText, (body, before) => {
        parseErrorText(typeof body === "string" ? body : JSON.stringify(body));
        const shown = cleanServerText(`${before} ${secret} ${before}`, [secret]);
        assert.ok(shown.length <= 500 && !/[\n\r]/.test(shown) && isVisible(shown), shown);
        assert.ok(!shown.includes(secret));
      }),
    );
  });

  it("a message of a page is either one of the known ones or refused", () => {
    const types = fromWebview.map(({ type }) => type);
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          fc.tuple(fc.constantFrom(...types), record).map(([type, rest]) => ({ ...rest, type })),
        ),
        (raw) => {
          const message = parseMessage<FromWebview>(fromWebview, raw);
          assert.ok(message === undefined || types.includes(message.type));
        },
      ),
    );
  });

  it("a filter is parsed whatever it is, and finds the values that it was given", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        parseFilter(text);
        const plain = text.replace(/["\s]+/g, " ").trim();
        if (plain === "") return;
        const [[term] = []] = parseFilter(`name:${quoteFilterValue(`a ${plain}`)}`);
        assert.deepEqual(term?.values, [`a ${plain}`.toLowerCase()]);
      }),
    );
  });
});

describe("Properties of what is written or shown, for any input", () => {
  it("a label is one visible line of at most the given length", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, length) => {
        const label = sanitizeLabel(text, length);
        assert.ok(label.length <= length && !/[\n\r]/.test(label), label);
        assert.ok(!/\]\(|\$\(\w/.test(inertText(text)), inertText(text));
      }),
    );
  });

  it("JSON in which hidden characters were made visible has the same meaning", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const shown = escapeInvisible(text);
        assert.ok(isVisible(shown.replace(/[\n\t]/g, "")), shown);
        assert.deepEqual(JSON.parse(shown), JSON.parse(text));
      }),
    );
  });

  it("a secret is redacted in every form and in every place", () => {
    const forms: readonly ((secret: string) => string)[] = [
      (secret) => secret,
      encodeURIComponent,
      (secret) => JSON.stringify(secret),
      (secret) => Buffer.from(secret).toString("base64"),
      (secret) => Buffer.from(secret).toString("hex"),
    ];
    fc.assert(
      fc.property(
        fc
          .string({ minLength: 12, maxLength: 40 })
          .filter((secret) => secret.trim() === secret && !secret.includes(redactionMark)),
        anyText,
        anyText,
        fc.constantFrom(...forms),
        (secret, before, after, write) => {
          const redaction = new Redaction();
          redaction.remember(secret);
          const redacted = redaction.redact(`${before}${write(secret)}${after}`);
          assert.ok(!redacted.includes(secret) && !redacted.includes(write(secret)), redacted);
        },
      ),
    );
  });

  it("our line leaves an SSH configuration byte for byte as it was", () => {
    const line = fc.constantFrom(
      "Host *",
      "  User me",
      "# note",
      "",
      "Include other",
      "Match all",
      "\tPort 22",
      'Include "a b"',
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.boolean(), (lines, ending, isEnded) => {
        const text = lines.join(ending) + (isEnded ? ending : "");
        const added = addInclude(text, "/home/me/.ssh/ours");
        assert.ok(added.state === "done");
        assert.equal(addInclude(added.text, "/home/me/.ssh/ours").state, "unchanged");
        const removed = removeInclude(added.text, "/home/me/.ssh/ours");
        assert.ok(removed.state === "done");
        assert.equal(removed.text, text);
      }),
    );
  });

  it("a host that is written again is there once, beside all others", () => {
    const host = fc.record({
      host: fc.constantFrom("203.0.113.7", "2001:db8::7", "gpu.example"),
      port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
      user: fc.option(fc.constantFrom("root", "ubuntu"), { nil: undefined }),
      identity: fc.stringMatching(/^[0-9a-f]{16}$/),
      keyAlias: fc.option(fc.constantFrom("key-a", "key-b"), { nil: undefined }),
      comment: fc.constantFrom("", "trainer"),
    });
    fc.assert(
      fc.property(fc.array(host, { minLength: 1, maxLength: 6 }), (hosts) => {
        let text = "";
        for (const each of hosts)
          text = putSshHost(text, { ...each, alias: `gpu-${each.identity.slice(0, 8)}` }).text;
        const identities = new Set(hosts.map(({ identity }) => identity));
        assert.equal(text.match(/^# inference-gateway [0-9a-f]{16}/gm)?.length, identities.size);
        const last = hosts.at(-1);
        assert.ok(last !== undefined && text.includes(`HostName ${last.host}`));
      }),
    );
  });
});
