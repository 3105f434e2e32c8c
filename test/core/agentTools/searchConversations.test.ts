import assert from "node:assert/strict";
import { runTool } from "../../../src/core/agentTools/runTool.ts";
import type { FoundMessage } from "../../../src/core/agentTools/runTool.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { agentToolPorts, callTool, toolFailure } from "./callTool.ts";

describe("The tool search_conversations", () => {
  const message = (text: string): FoundMessage => ({ title: "Title", updatedAt: 0, role: "user", text });
  const search = (text: string, ...messages: readonly FoundMessage[]) =>
    callTool(
      "search_conversations",
      { text },
      {
        findMessages: () => Promise.resolve({ messages, extent: "all" }),
      },
    );

  it("reads nothing unless the user allows it", async () => {
    let isRead = false;
    const problem = await toolFailure(
      "search_conversations",
      { text: "a" },
      {
        mayRead: () => Promise.resolve(false),
        findMessages: () => {
          isRead = true;
          return Promise.resolve({ messages: [], extent: "all" });
        },
      },
    );
    assert.equal(problem, "The user didn't allow this. Continue without it.");
    assert.equal(isRead, false);
  });

  it("returns short excerpts around the words", async () => {
    const { results } = await search(
      "needle",
      message(`${"hay ".repeat(5_000)}needle${" hay".repeat(5_000)}`),
    );
    assert.ok(Array.isArray(results) && isRecord(results[0]));
    const excerpt = String(results[0]["excerpt"]);
    assert.match(excerpt, /needle/);
    assert.ok(excerpt.length <= 302);
  });

  it("masks secrets, including those that the excerpt would cut", async () => {
    const key = `sk-proj-${"aB3dE5gH7j".repeat(6)}`;
    for (const gap of [0, 20, 60, 100, 140]) {
      const { results } = await search("needle", message(`needle ${"hay ".repeat(gap / 4)}${key} end`));
      const text = JSON.stringify(results);
      assert.match(text, /needle/);
      assert.doesNotMatch(text, /aB3dE5/, `${gap}`);
    }
  });

  it("returns valid JSON whatever is redacted in it", async () => {
    const redaction = new Redaction();
    const { text, isError } = await runTool(
      "search_conversations",
      { text: "curl" },
      agentToolPorts({
        findMessages: () =>
          Promise.resolve({ messages: [message('curl -H "Authorization: abc" -d "x": 1')], extent: "all" }),
        maskSecrets: (unmasked) => Promise.resolve(unmasked),
        redact: (unredacted) => redaction.redact(unredacted),
      }),
    );
    assert.equal(isError, false);
    assert.match(JSON.stringify(JSON.parse(text)), /Authorization: \[redacted\]"/);
  });

  it("doesn't confirm a word that occurs only inside a secret", async () => {
    const key = `sk-proj-${"aB3dE5gH7j".repeat(6)}`;
    const { results } = await search("ab3de5", message(`The key is ${key}.`));
    assert.deepEqual(results, []);
  });
});
