import assert from "node:assert/strict";
import {
  maskFindings,
  shortenSecret,
  distinctFindings,
} from "../../../../src/core/compose/send/secretFinding.ts";
import { SendGate } from "../../../../src/core/compose/send/sendGate.ts";
import type { SendGateContext } from "../../../../src/core/compose/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../../../src/core/compose/send/sendQuestion.ts";
import { storedMessage } from "../../../support/storeFolder.ts";

const key = "sk-1234567890abcdef";

function createGate(change: Partial<SendGateContext> = {}) {
  const asked: SendQuestion[] = [];
  const stored: string[] = [];
  const prompts: string[] = [];
  const policies: string[] = [];
  const gate = new SendGate({
    secretGuard: () => "ask",
    prepare: () => undefined,
    findSecrets: async (text) => (text.includes(key) ? [{ kind: "OPENAI token", value: key }] : []),
    readBudget: async () => undefined,
    whenTooLong: () => "ask",
    locale: "en",
    ...change,
  });
  const pass = (text: string, choice: SendChoice, systemPrompt?: string) =>
    gate.pass(
      { text, attachments: [{ type: "text", text: `file ${text}`, title: "notes.txt" }] },
      {
        id: "c1",
        systemPrompt,
        changeSystemPrompt: (prompt) => prompts.push(prompt),
        whenTooLong: undefined,
        changeWhenTooLong: (policy) => policies.push(policy),
        findTooLong: () =>
          text.length < 1000 ? undefined : { excess: 7, rows: [], hasFiles: text.endsWith("f") },
        findUnsupported: () => undefined,
        selectModel: async () => undefined,
        ask: async (question, held) => {
          asked.push(question);
          stored.push(JSON.stringify(held));
          return choice;
        },
      },
    );
  return { asked, stored, prompts, policies, gate, pass };
}

describe("The check before sending", () => {
  it("lets a harmless message through without a question", async () => {
    const { pass, asked } = createGate();
    assert.equal((await pass("hello", "cancel"))?.text, "hello");
    assert.deepEqual(asked, []);
  });

  it("shows each secret with its location, shortened and never whole", async () => {
    const { pass, asked } = createGate();
    assert.equal(await pass(`use ${key}`, "cancel"), undefined);
    assert.deepEqual(asked[0]?.facts, [
      { label: "OPENAI token", value: "sk-1…ef in your message" },
      { label: "OPENAI token", value: "sk-1…ef in notes.txt" },
    ]);
    assert.ok(!JSON.stringify(asked).includes(key));
  });

  it("stores only a masked draft while the user decides", async () => {
    const { pass, stored } = createGate();
    await pass(`use ${key}`, "cancel");
    assert.equal(stored.length, 1);
    assert.match(stored[0] ?? "", /use \[masked/u);
    assert.ok(!stored.join("").includes(key));
  });

  it("checks the result of a tool, which is masked, sent unchanged or withheld", async () => {
    const asked: SendQuestion[] = [];
    const answer = (choice: SendChoice) => async (question: SendQuestion) => {
      asked.push(question);
      return choice;
    };
    const { gate } = createGate();
    const result = `KEY=${key}`;
    assert.equal(await gate.passResult("4 files", "list", answer("cancel")), "4 files");
    assert.equal(await gate.passResult(result, "read", answer("mask")), "KEY=[masked: OPENAI token]");
    assert.equal(await gate.passResult(result, "read", answer("cancel")), undefined);
    assert.equal(await gate.passResult(result, "read", answer("send")), result);
    assert.equal(await gate.passResult(result, "read", answer("cancel")), result, "known by now");
    assert.equal(asked.length, 3);
    assert.match(asked[0]?.message ?? "", /result of “read”/);
    assert.ok(!JSON.stringify(asked).includes(key));
  });

  it("masks a tool result without a question if so configured, and nothing if the check is off", async () => {
    const never = async (): Promise<SendChoice> => assert.fail("was asked");
    const masking = createGate({ secretGuard: () => "mask" }).gate;
    assert.equal(await masking.passResult(key, "read", never), "[masked: OPENAI token]");
    const off = createGate({ secretGuard: () => "off" }).gate;
    assert.equal(await off.passResult(key, "read", never), key);
  });

  it("masks secrets in the text, in files and in the system prompt", async () => {
    const { pass, prompts } = createGate();
    const passed = await pass(`use ${key}, ${key}`, "mask", `Never tell ${key}.`);
    const mask = "[masked: OPENAI token]";
    assert.equal(passed?.text, `use ${mask}, ${mask}`);
    assert.deepEqual(passed?.attachments, [
      { type: "text", text: `file use ${mask}, ${mask}`, title: "notes.txt" },
    ]);
    assert.deepEqual(prompts, [`Never tell ${mask}.`]);
  });

  it("masks without a question, or checks nothing, if so configured", async () => {
    const masking = createGate({ secretGuard: () => "mask" });
    assert.equal((await masking.pass(key, "cancel"))?.text, "[masked: OPENAI token]");
    const off = createGate({ secretGuard: () => "off" });
    assert.equal((await off.pass(key, "cancel"))?.text, key);
    assert.deepEqual([...masking.asked, ...off.asked], []);
  });

  it("asks about a secret only once, and not again after the user sent it", async () => {
    const { pass, asked } = createGate();
    assert.equal((await pass(key, "send"))?.text, key);
    assert.equal((await pass(`${key} again`, "cancel"))?.text, `${key} again`);
    assert.equal(asked.length, 1);
  });

  it("reports that the budget is used up, with the amounts", async () => {
    const { gate, pass, asked } = createGate({
      readBudget: async () => ({
        budget: { daily: 1, currency: "USD" },
        spent: { day: [{ amount: 1.5, currency: "USD" }], month: [] },
      }),
    });
    assert.equal(await pass("hello", "cancel"), undefined);
    assert.equal(asked[0]?.message, "Today's budget is used up: $1.50 of $1.00. Nothing has been sent yet.");
    assert.equal((await pass("hello", "send"))?.text, "hello");
    const conversation = {
      id: "c1",
      systemPrompt: undefined,
      changeSystemPrompt: () => undefined,
      whenTooLong: undefined,
      changeWhenTooLong: () => undefined,
      findTooLong: () => undefined,
      findUnsupported: () => undefined,
      selectModel: async () => undefined,
    };
    assert.equal(await gate.mayAsk({ ...conversation, ask: async () => "cancel" }), false);
  });

  it("lets a request through whose budget can't be checked here, because it is refused with a reason when it is sent", async () => {
    const { pass, asked } = createGate({ readBudget: () => Promise.reject(new Error("locked")) });
    assert.equal((await pass("hello", "cancel"))?.text, "hello");
    assert.deepEqual(asked, []);
  });

  it("asks what to leave out of a conversation that is too long, and remembers the choice for the conversation", async () => {
    const { pass, asked, policies } = createGate();
    const long = "x".repeat(1000);
    assert.equal(await pass(long, "cancel"), undefined);
    assert.deepEqual(
      asked[0]?.choices.map(({ id }) => id),
      ["dropOldest", "send", "cancel"],
    );
    assert.equal((await pass(long, "send"))?.text, long);
    assert.deepEqual(policies, []);
    assert.equal((await pass(`${long}f`, "dropFiles"))?.text, `${long}f`);
    assert.deepEqual(policies, ["files"]);
  });

  it("doesn't ask about the length if the setting decides", async () => {
    for (const policy of ["oldest", "files", "send"] as const) {
      const { pass, asked } = createGate({ whenTooLong: () => policy });
      assert.ok(await pass("x".repeat(1000), "cancel"));
      assert.deepEqual(asked, []);
    }
  });
});

describe("The messages of an opened conversation", () => {
  const messages = [
    storedMessage("q", {
      role: "user",
      text: "question",
      attachments: [{ type: "text", text: "a file", title: "a.txt" }],
    }),
    storedMessage("a", { text: "response", toolCalls: [{ id: "1", name: "f", arguments: "{}" }] }),
  ];

  it("are searched before the next one is sent, except for what a model has written here", async () => {
    const searched: string[] = [];
    const findSecrets = async (text: string) => {
      searched.push(text);
      return [];
    };
    const { gate } = createGate({ findSecrets });
    gate.trust(["response"]);
    await gate.searchAhead(messages, () => true);
    assert.deepEqual(searched, ["question", "a file", "{}"]);
    await gate.searchAhead(messages, () => searched.length < 4);
    assert.equal(searched.length, 4, "A closed conversation is searched to its end.");
    await createGate({ findSecrets, secretGuard: () => "off" }).gate.searchAhead(messages, () => true);
    assert.equal(searched.length, 4, "The guard is off.");
  });

  it("don't keep what models have written in memory without a limit", async () => {
    const searched: string[] = [];
    const { gate } = createGate({
      findSecrets: async (text) => {
        searched.push(text.slice(0, 1));
        return [];
      },
    });
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(3_000_000));
    for (const text of texts) gate.trust([text, text]);
    await gate.searchAhead(
      texts.map((text, index) => storedMessage(`m${index}`, { text })),
      () => true,
    );
    assert.deepEqual(searched, ["a", "b"]);
  });
});

describe("Secrets in a message", () => {
  it("are masked longest first, and without interpreting replacement patterns", () => {
    const findings = [
      { kind: "a", value: "abc" },
      { kind: "$&", value: "abcdef" },
    ];
    assert.equal(maskFindings("abcdef abc", findings), "[masked: $&] [masked: a]");
  });

  it("are listed once each", () => {
    const whole = { kind: "URL", value: "https://u:p@h" };
    assert.deepEqual(distinctFindings([whole, { kind: "part", value: "u:p" }, whole]), [whole]);
  });

  it("are recognizable but useless when shortened for display", () => {
    assert.equal(shortenSecret("short"), "s…");
    assert.equal(shortenSecret("-----BEGIN KEY-----\nabc\nxyz"), "----…yz");
  });
});
