import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { localDay } from "../../../src/core/conversation/usageTotals.ts";
import { createSchema } from "../../../src/storage/database/schema.ts";
import { readUsage } from "../../../src/storage/conversations/conversationReader.ts";

const noon = new Date(2026, 10, 21, 12).getTime();
const dayBefore = new Date(2026, 10, 20, 23, 59).getTime();

function createDatabase(): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  createSchema(database);
  for (const id of ["c1", "c2"])
    database
      .prepare("INSERT INTO conversation (id, title, created_at, updated_at) VALUES (?, '', 0, 0)")
      .run(id);
  return database;
}

describe("Reading usage from the database", () => {
  let count = 0;
  const database = createDatabase();
  function add(conversation: string, role: string, createdAt: number, details: string): void {
    database
      .prepare(
        `INSERT INTO message (conversation_id, id, role, status, created_at, text, reasoning, details)
         VALUES (?, ?, ?, 'complete', ?, '', '', ?)`,
      )
      .run(conversation, `m${++count}`, role, createdAt, details);
  }
  const usage = { promptTokens: 10, cachedTokens: 3, completionTokens: 5, reasoningTokens: 2 };
  add("c1", "assistant", noon, JSON.stringify({ model: "a", usage }));
  add("c1", "assistant", noon, JSON.stringify({ model: "a", usage: { promptTokens: 7 } }));
  add("c1", "assistant", dayBefore, JSON.stringify({ model: "b", usage }));
  add("c1", "assistant", noon, "{broken");
  add("c2", "assistant", noon, JSON.stringify({ model: "other", usage }));
  add("c1", "user", noon, JSON.stringify({ usage }));

  it("adds up by local day and by model, and counts responses with damaged or missing usage", () => {
    const none = { counted: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
    assert.deepEqual(readUsage(database, "c1"), [
      { day: localDay(noon), responses: 1, ...none },
      { day: localDay(noon), model: "a", responses: 2, counted: 1, ...usage },
      { day: localDay(dayBefore), model: "b", responses: 1, counted: 1, ...usage },
    ]);
  });

  it("is empty for a conversation without responses", () =>
    assert.deepEqual(readUsage(database, "none"), []));
});
