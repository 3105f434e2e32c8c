import assert from "node:assert/strict";
import {
  capabilitiesOf,
  describeFindings,
  parseFindings,
  testCapabilities,
} from "../../../../src/core/compose/attachments/capabilityTest.ts";
import { transcribe, transcriptionRequest } from "../../../../src/core/compose/attachments/transcribe.ts";
import { ServiceError } from "../../../../src/core/kernel/errors.ts";
import { ScriptedCompletions } from "../../../support/scriptedCompletions.ts";

function start() {
  const completions = new ScriptedCompletions();
  const encodeBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const test = testCapabilities({ model: "lab/one", completions, now: () => 7, encodeBase64 });
  return { completions, test };
}

describe("A test of a model's capabilities", () => {
  it("sends one small request for each capability, and distinguishes unsupported ones from failed requests", async () => {
    const { completions, test } = start();
    const image = await completions.next();
    assert.ok(JSON.stringify(image.request.messages).includes("image/png"));
    image.emit({ type: "text", text: "Red" });
    image.end();
    const audio = await completions.next();
    audio.fail(new ServiceError({ reason: "badRequest", message: "no audio", statusCode: 400 }));
    const tool = await completions.next();
    assert.ok(Array.isArray(tool.request.parameters?.["tools"]));
    tool.emit({ type: "text", text: "I would call the tool." });
    tool.end();
    const schema = await completions.next();
    schema.fail(new ServiceError({ reason: "unavailable", message: "busy", statusCode: 503 }));
    const findings = (await test.findings) ?? assert.fail("It was stopped.");
    assert.deepEqual(findings, { image: "yes", audio: "no", tools: "no", schema: "unknown", testedAt: 7 });
    assert.deepEqual(capabilitiesOf(findings), {
      supportsImages: true,
      supportsAudio: false,
      supportsTools: false,
    });
    assert.equal(
      describeFindings(findings),
      "image input: yes, audio input: no, tools: no, JSON schema: unknown",
    );
    const stored = { "lab/one": findings, "lab/two": { testedAt: "never" }, "lab/three": 1 };
    assert.deepEqual(parseFindings(JSON.parse(JSON.stringify(stored))), { "lab/one": findings });
  });

  it("ends when it is stopped, and fails as a whole if the key is wrong", async () => {
    const stopped = start();
    const run = await stopped.completions.next();
    stopped.test.stop();
    assert.equal(run.isStopped, true);
    assert.equal(await stopped.test.findings, undefined);
    const refused = start();
    (await refused.completions.next()).fail(new ServiceError({ reason: "apiKey", message: "wrong key" }));
    await assert.rejects(refused.test.findings, /wrong key/u);
  });
});

describe("The transcript of a recording", () => {
  const request = transcriptionRequest("lab/ears", { type: "audio", format: "wav", data: "AAAA" });

  it("is requested once with the recording, and is its text without reasoning", async () => {
    const completions = new ScriptedCompletions();
    const { transcript } = transcribe(completions, request);
    const run = await completions.next();
    assert.deepEqual([run.request.model, run.observer.purpose], ["lab/ears", "dictation"]);
    assert.ok(JSON.stringify(run.request.messages).includes('"AAAA"'));
    run.emit({ type: "text", text: "let me listen" }, { type: "reasoningEnd", dropped: 0 });
    run.emit({ type: "text", text: " Hello " }, { type: "text", text: "there.\n" });
    run.end();
    assert.equal(await transcript, "Hello there.");
  });

  it("is nothing if it is stopped, and an error if it is empty", async () => {
    const completions = new ScriptedCompletions();
    const stopped = transcribe(completions, request);
    await completions.next();
    stopped.stop();
    assert.equal(await stopped.transcript, undefined);
    const empty = transcribe(completions, request);
    (await completions.next()).end();
    await assert.rejects(empty.transcript, /no transcript/u);
  });
});
