import assert from "node:assert/strict";
import { isRecord } from "../../src/core/kernel/json.ts";

type Fields = Readonly<Record<string, unknown>>;

function records(value: unknown): readonly Fields[] {
  assert.ok(Array.isArray(value) && value.every(isRecord), "a list of objects");
  return value;
}

/** Throws for a body that some strict server refuses with 400 or 422. */
export function assertLawful(json: string): void {
  assert.doesNotMatch(json, /(?<!\\)(?:\\\\)*\\ud[89a-f]/i, "half a surrogate pair");
  const body: unknown = JSON.parse(json);
  assert.ok(isRecord(body));
  const ids = new Set<string>();
  let open: string[] = [];
  for (const message of records(body["messages"])) {
    const { role, content, tool_calls: calls } = message;
    if (role === "tool") {
      assert.equal(message["tool_call_id"], open.shift(), "the result of the next open call");
      assert.ok(typeof content === "string" && content.trim() !== "", "a result is text that isn't empty");
      continue;
    }
    assert.deepEqual(open, [], `every call has its result before the next message (${String(role)})`);
    if (role === "assistant" && calls !== undefined) open = records(calls).map((call) => callId(call, ids));
    else assertContent(content, role);
    if (role === "assistant" && calls !== undefined)
      assert.ok(content === "" || String(content).trim() !== "", "words beside calls, or none");
  }
  assert.deepEqual(open, [], "every call has its result");
}

function callId({ id, type, function: called }: Fields, ids: Set<string>): string {
  assert.ok(typeof id === "string" && id !== "" && !ids.has(id), `an ID of its own: ${String(id)}`);
  ids.add(id);
  assert.ok(type === "function" && isRecord(called));
  assert.match(String(called["name"]), /^[\w-]{1,64}$/);
  const input: unknown = JSON.parse(String(called["arguments"]));
  assert.ok(isRecord(input), "arguments are an object");
  assert.ok(JSON.stringify(input).isWellFormed() && !/\\ud[89a-f]/.test(JSON.stringify(input)));
  return id;
}

const signatures: Readonly<Record<string, string>> = {
  "image/png": "iVBORw0KGgo",
  "image/jpeg": "/9j/",
  "image/gif": "R0lGOD",
  "image/webp": "UklGR",
};

function assertContent(content: unknown, role: unknown): void {
  if (typeof content === "string") return assert.notEqual(content.trim(), "", "a message with text");
  const parts = records(content);
  assert.ok(parts.length > 0, "a message with parts");
  for (const part of parts) {
    if (part["type"] === "text") assert.notEqual(String(part["text"]).trim(), "", "a part with text");
    else assert.equal(role, "user", "media only in the user's messages");
    if (part["type"] !== "image_url") continue;
    assert.ok(isRecord(part["image_url"]));
    const [, type = "", data = ""] =
      /^data:([^;]+);base64,(.*)$/.exec(String(part["image_url"]["url"])) ?? [];
    assert.ok(data.startsWith(signatures[type] ?? "?"), `${type} matches its bytes`);
  }
}
