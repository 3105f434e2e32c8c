import assert from "node:assert/strict";
import { PageMessages, parseMessage } from "../../src/core/kernel/pageMessages.ts";
import type { MessageHandlers, MessageRule } from "../../src/core/kernel/pageMessages.ts";

/** Values of every kind that a page could send in place of a member. */
const strange: readonly unknown[] = [undefined, null, true, 7, -1, 0.5, NaN, Infinity, "7", [], ["7"], {}];

/**
 * Checks what holds for every message that a page may send.
 * @param examples A message of each type, with all of its members.
 */
export function checkRules<Message extends { readonly type: string }>(
  rules: readonly MessageRule<Message>[],
  examples: { readonly [T in Message["type"]]: Extract<Message, { readonly type: T }> },
): void {
  const all: readonly Message[] = Object.values(examples);
  const parse = (raw: unknown): Message | undefined => parseMessage(rules, raw);

  it("is accepted in each of its forms, without what doesn't belong to it", () => {
    assert.deepEqual(rules.map(({ type }) => type).sort(), all.map(({ type }) => type).sort());
    for (const message of all) {
      const json = JSON.stringify(message);
      assert.deepEqual(parse(JSON.parse(json)), message);
      const foreign = '{"more":[1],"constructor":1,"toString":"x","__proto__":{"isTrusted":true},';
      assert.deepEqual(parse(JSON.parse(json.replace("{", foreign))), message);
    }
  });

  it("never contains a value of another kind than the host expects", () => {
    for (const message of all) {
      for (const [name, value] of Object.entries(message).filter(([name]) => name !== "type")) {
        for (const wrong of strange) {
          const parsed: object = parse({ ...message, [name]: wrong }) ?? {};
          const found = new Map<string, unknown>(Object.entries(parsed)).get(name);
          if (found !== undefined) assert.equal(kindOf(found), kindOf(value), `${message.type}.${name}`);
        }
      }
    }
  });

  it("is refused if its type is unknown or isn't a type at all", () => {
    for (const type of ["toString", "__proto__", "constructor", "", 5, null, undefined, ["ready"]])
      assert.equal(parse({ ...all[0], type }), undefined);
    for (const raw of [undefined, null, 5, "ready", ["ready"]]) assert.equal(parse(raw), undefined);
  });

  it("is refused if it is too large, or if there are too many of its type", () => {
    for (const { type, size, burst } of rules) {
      const message = all.find((one) => one.type === type);
      const seen: string[] = [];
      let now = 0;
      const handle = (): unknown => seen.push("handled");
      const handlers = Object.fromEntries(rules.map((rule) => [rule.type, handle]));
      const messages = new PageMessages<Message>({
        rules,
        handlers: handlers as unknown as MessageHandlers<Message>,
        now: () => now,
        onRefused: (refusal) => seen.push(refusal),
        onError: (error) => assert.fail(String(error)),
      });
      messages.receive({ ...message, more: "x".repeat(size) });
      for (let count = 1; count <= burst; count++) messages.receive(message);
      now = 1e9;
      messages.receive(message);
      const handled = Array.from({ length: burst - 1 }, () => "handled");
      assert.deepEqual(seen, ["tooLarge", ...handled, "tooMany", "handled"], type);
    }
  });
}

function kindOf(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? "number" : "no number";
  return Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
}
