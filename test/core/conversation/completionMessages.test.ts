import assert from "node:assert/strict";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import { lawfulMessages } from "../../../src/core/conversation/lawfulMessages.ts";
import { completionMessages } from "../../../src/core/conversation/completionMessages.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const user = (text: string): Message => storedMessage(text, { text });
const answer = (text: string, change: Partial<Message> = {}): Message =>
  storedMessage(text, { role: "assistant", text, ...change });

/** `role:text` of everything that is sent. */
const told = (...messages: readonly Message[]): readonly string[] =>
  lawfulMessages(completionMessages(messages)).map(({ role, content }) => `${role}:${String(content)}`);

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

  it("sends only the tool calls that have results, and leaves out results of calls that are still running", () => {
    const call = (id: string) => ({ id, name: "f", arguments: "{}" });
    const caller = answer("", { toolCalls: [call("1"), call("2")] });
    const result = (id: string, change: Partial<Message> = {}): Message =>
      storedMessage(`r${id}`, { role: "tool", toolCallId: id, ...change });
    const whole = [user("q"), caller, result("2"), result("1"), answer("a")];
    assert.deepEqual(told(...whole), [
      "user:q",
      "assistant:",
      "tool:text of r1",
      "tool:text of r2",
      "assistant:a",
    ]);
    const running = result("2", { status: "streaming" });
    assert.deepEqual(told(user("q"), caller, result("1"), running, user("r")), [
      "user:q",
      "assistant:",
      "tool:text of r1",
      "user:r",
    ]);
    assert.deepEqual(told(user("q"), caller, user("r")), ["user:q", "user:r"]);
    assert.deepEqual(told(user("q"), result("9"), user("r")), ["user:q", "user:r"]);
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
