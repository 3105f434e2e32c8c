import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { completionMessages } from "../../../src/core/conversation/completionMessages.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const user = (text: string): Message => storedMessage(text, { text });
const answer = (text: string, change: Partial<Message> = {}): Message =>
  storedMessage(text, { role: "assistant", text, ...change });

/** `role:text` of everything that is sent. */
const told = (...messages: readonly Message[]): readonly string[] =>
  completionMessages(messages).map(({ role, content }) => `${role}:${String(content)}`);

describe("completionMessages", () => {
  it("includes all roles in order", () => {
    const system = storedMessage("s", { role: "system", text: "Be brief." });
    assert.deepEqual(told(system, user("q"), answer("a"), user("r")), [
      "system:Be brief.",
      "user:q",
      "assistant:a",
      "user:r",
    ]);
  });

  it("leaves out a question whose response failed or was stopped before its first word", () => {
    for (const status of ["failed", "stopped"] as const) {
      const nothing = answer("", { status });
      assert.deepEqual(told(user("q"), nothing, user("r")), ["user:r"]);
      assert.deepEqual(told(user("q"), nothing, nothing, user("r"), answer("a"), user("s")), [
        "user:r",
        "assistant:a",
        "user:s",
      ]);
      assert.deepEqual(told(user("q"), nothing), ["user:q"], "the question that is asked");
    }
  });

  it("includes a question without a response if the user chose to, and one that was never sent", () => {
    const nothing = answer("", { status: "stopped" });
    const included = { ...user("q"), isIncluded: true };
    assert.deepEqual(told(included, nothing, user("r")), ["user:q", "user:r"]);
    assert.deepEqual(told(user("q"), user("r")), ["user:q", "user:r"]);
  });

  it("includes a partial response that the user replied to", () => {
    assert.deepEqual(told(user("q"), answer("par", { status: "stopped" }), user("go on")), [
      "user:q",
      "assistant:par",
      "user:go on",
    ]);
  });

  it("leaves out partial responses that another attempt replaces", () => {
    const partial = answer("par", { status: "failed" });
    assert.deepEqual(told(user("q"), partial), ["user:q"]);
    assert.deepEqual(told(user("q"), partial, answer("whole"), user("r")), [
      "user:q",
      "assistant:whole",
      "user:r",
    ]);
  });

  it("includes the last partial response if the attempt after it returned nothing", () => {
    const messages = [
      user("q"),
      answer("par", { status: "failed" }),
      answer("", { status: "failed" }),
      user("r"),
    ];
    assert.deepEqual(told(...messages), ["user:q", "assistant:par", "user:r"]);
  });

  it("sends tool calls only together with all their results", () => {
    const call = (id: string) => ({ id, name: "f", arguments: "{}" });
    const caller = answer("", { toolCalls: [call("1"), call("2")] });
    const result = (id: string): Message => storedMessage(`r${id}`, { role: "tool", toolCallId: id });
    const whole = completionMessages([user("q"), caller, result("1"), result("2"), answer("a")]);
    assert.deepEqual(
      whole.map(({ role, toolCallId }) => [role, toolCallId]),
      [
        ["user", undefined],
        ["assistant", undefined],
        ["tool", "1"],
        ["tool", "2"],
        ["assistant", undefined],
      ],
    );
    assert.equal(whole[1]?.toolCalls?.length, 2);
    assert.deepEqual(told(user("q"), caller, result("1"), user("r")), ["user:q", "user:r"]);
    assert.deepEqual(told(user("q"), result("9"), user("r")), ["user:q", "user:r"]);
  });

  it("replaces arguments that aren't JSON with an empty object, because servers reject the whole conversation otherwise", () => {
    const call = (id: string, text: string) => ({ id, name: "f", arguments: text });
    const caller = answer("", { toolCalls: [call("1", '{"a":'), call("2", ""), call("3", ' {"a": 1}')] });
    const results = ["1", "2", "3"].map((id) => storedMessage(`r${id}`, { role: "tool", toolCallId: id }));
    const [told] = completionMessages([caller, ...results]);
    assert.deepEqual(
      told?.toolCalls?.map((callToSend) => callToSend.arguments),
      ["{}", "{}", ' {"a": 1}'],
    );
  });

  it("includes images from a tool result in its content", () => {
    const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    const caller = answer("", { toolCalls: [{ id: "1", name: "f", arguments: "{}" }] });
    const result = storedMessage("r", {
      role: "tool",
      toolCallId: "1",
      text: "seen",
      attachments: [image],
    });
    assert.deepEqual(completionMessages([caller, result])[1]?.content, [
      { type: "text", text: "seen" },
      image,
    ]);
  });

  it("puts attachments after the text", () => {
    const image = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    const messages = [storedMessage("1", { text: "What is it?", attachments: [image] })];
    assert.deepEqual(completionMessages(messages)[0]?.content, [
      { type: "text", text: "What is it?" },
      image,
    ]);
  });
});
