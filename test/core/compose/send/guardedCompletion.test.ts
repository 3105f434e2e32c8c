import assert from "node:assert/strict";
import type { CompletionRequest } from "../../../../src/core/conversation/completion.ts";
import { guardCompletion } from "../../../../src/core/compose/send/guardedPorts.ts";
import { changeRequestTexts, requestTexts } from "../../../../src/core/compose/send/requestTexts.ts";
import { SendGate } from "../../../../src/core/compose/send/sendGate.ts";
import type { SecretGuard } from "../../../../src/core/compose/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../../../src/core/compose/send/sendQuestion.ts";
import { FakeSecrets } from "../../account/secrets/fakeSecrets.ts";

const secret = new FakeSecrets(77).random(24);

/** A request with the secret in every place that contains text. */
const everywhere: CompletionRequest = {
  model: "a/b",
  stream: true,
  messages: [
    { role: "system", content: `system ${secret}` },
    { role: "user", content: `imported ${secret}` },
    {
      role: "user",
      content: [
        { type: "text", text: `file ${secret}`, title: "a.txt" },
        { type: "image", mediaType: "image/png", data: secret },
      ],
    },
    {
      role: "assistant",
      content: secret,
      toolCalls: [{ id: "1", name: "f", arguments: `{"a":"${secret}"}` }],
    },
    { role: "tool", content: `result ${secret}`, toolCallId: "1" },
  ],
  parameters: { stop: [secret], response_format: { schema: { description: `schema ${secret}` } } },
};

function createGate(guard: SecretGuard = "ask") {
  const scanned: string[] = [];
  const gate = new SendGate({
    secretGuard: () => guard,
    prepare: () => undefined,
    findSecrets: async (text) => {
      scanned.push(text);
      return text.includes(secret) ? [{ kind: "key", value: secret }] : [];
    },
    readBudget: async () => undefined,
    whenTooLong: () => "send",
    locale: "en",
  });
  const asked: SendQuestion[] = [];
  const pass = (choice: SendChoice, request = everywhere) =>
    gate.passRequest(request, async (question) => {
      asked.push(question);
      return choice;
    });
  return { gate, scanned, asked, pass };
}

/** The request without its image, whose data is not text. */
function textOf(request: CompletionRequest | undefined): string {
  return JSON.stringify(request, (name, value: unknown) => (name === "data" ? "" : value));
}

describe("A request to a model", () => {
  it("is checked in each of its texts and in nothing else", () => {
    const texts = requestTexts(everywhere);
    assert.equal(texts.filter(({ text }) => text.includes(secret)).length, 8);
    assert.deepEqual(
      [...new Set(texts.map(({ location }) => location))],
      ["the system prompt", "an earlier message", "a tool result", "the request parameters"],
    );
    assert.ok(requestTexts(everywhere, "a prompt").some(({ location }) => location === "a prompt"));
    const changed = changeRequestTexts(everywhere, (text) => text.replaceAll(secret, "#"));
    assert.ok(!textOf(changed).includes(secret));
    assert.equal(JSON.stringify(changed).split(secret).length, 2);
    assert.deepEqual(
      changeRequestTexts(everywhere, (text) => text),
      everywhere,
    );
  });

  it("is masked wherever the secret occurs after one question, and the next request without a question", async () => {
    const { asked, pass } = createGate();
    assert.ok(!textOf(await pass("mask")).includes(secret));
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.facts.length, 1);
    assert.ok(!JSON.stringify(asked).includes(secret));
    assert.ok(!textOf(await pass("cancel")).includes(secret));
    assert.equal(asked.length, 1);
  });

  it("is sent unchanged if the user chooses so, and not at all if they cancel", async () => {
    const { asked, pass } = createGate();
    assert.equal(await pass("cancel"), undefined);
    assert.equal(await pass("send"), everywhere);
    assert.equal(await pass("cancel"), everywhere);
    assert.equal(asked.length, 2);
  });

  it("is masked without a question if no user can decide or it is so configured, and left alone if the guard is off", async () => {
    assert.ok(!textOf(await createGate().gate.passRequest(everywhere)).includes(secret));
    const masking = createGate("mask");
    assert.ok(!textOf(await masking.pass("cancel")).includes(secret));
    assert.deepEqual(masking.asked, []);
    const off = createGate("off");
    assert.equal(await off.pass("cancel"), everywhere);
    assert.deepEqual(off.scanned, []);
  });

  it("raises no question about text that a model wrote in this window", async () => {
    const { gate, asked, pass } = createGate();
    const request: CompletionRequest = {
      model: "a/b",
      stream: true,
      messages: [{ role: "assistant", content: `for example ${secret}` }],
    };
    gate.trust([`for example ${secret}`]);
    assert.equal(await pass("cancel", request), request);
    assert.deepEqual(asked, []);
  });

  it("reaches the port only as the guard returned it, one at a time", async () => {
    const sent: CompletionRequest[] = [];
    let passing = 0;
    const port = guardCompletion(
      {
        complete(request) {
          sent.push(request);
          return { events: (async function* () {})(), stop: () => undefined };
        },
      },
      async (request) => {
        assert.equal(++passing, 1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        passing--;
        return request.model === "refused" ? undefined : { ...request, model: `${request.model}!` };
      },
    );
    await Promise.all(
      ["a", "refused", "b"].map(async (model) => {
        for await (const event of port.complete({ ...everywhere, model }, {}).events) assert.fail(event.type);
      }),
    );
    assert.deepEqual(
      sent.map(({ model }) => model),
      ["a!", "b!"],
    );
  });

  it("isn't asked about once it was stopped, neither while it waits for its turn nor while it is searched", async () => {
    let release: () => void = () => undefined;
    const searching = new Promise<void>((resolve) => (release = resolve));
    const sent: CompletionRequest[] = [];
    const asked: SendQuestion[] = [];
    const gate = new SendGate({
      secretGuard: () => "ask",
      prepare: () => undefined,
      async findSecrets() {
        await searching;
        return [{ kind: "key", value: secret }];
      },
      readBudget: async () => undefined,
      whenTooLong: () => "send",
      locale: "en",
    });
    const port = guardCompletion(
      {
        complete(request) {
          sent.push(request);
          return { events: (async function* () {})(), stop: () => undefined };
        },
      },
      (request, isStopped) =>
        gate.passRequest(
          request,
          async (question) => {
            asked.push(question);
            return "send";
          },
          isStopped,
        ),
    );
    const runs = [port.complete(everywhere, {}), port.complete(everywhere, {})];
    const ends = runs.map(async (run) => {
      for await (const event of run.events) assert.fail(event.type);
    });
    for (const run of runs) run.stop();
    release();
    await Promise.all(ends);
    assert.deepEqual([asked, sent], [[], []]);
  });
});
