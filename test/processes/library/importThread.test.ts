import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readImportsInThread } from "../../../src/processes/library/importSources.ts";

const thread = new URL("../../../src/processes/library/importThread.ts", import.meta.url);

describe("Importing in a worker thread", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "import-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A ChatGPT export with this many conversations, each with one message of this length. */
  function write(name: string, count: number, length: number): string {
    const path = join(folder, name);
    const conversations = Array.from({ length: count }, (_, index) => ({
      ...{ id: `${name}-${index}`, title: "t", create_time: 1 },
      mapping: {
        m: {
          parent: null,
          children: [],
          message: {
            author: { role: "user" },
            content: { content_type: "text", parts: ["x".repeat(length)] },
          },
        },
      },
    }));
    writeFileSync(path, JSON.stringify(conversations));
    return path;
  }

  it("returns a large file completely, in several pieces", async () => {
    const path = write("large.json", 5, 600_000);
    const pieces: number[] = [];
    for await (const file of readImportsInThread(thread, [path])) {
      assert.ok("imported" in file);
      pieces.push(file.imported.conversations.length);
    }
    assert.deepEqual(pieces, [2, 2, 1]);
  });

  it("continues after a file that isn't an export", async () => {
    const bad = join(folder, "bad.json");
    writeFileSync(bad, "{");
    const outcomes: unknown[] = [];
    for await (const file of readImportsInThread(thread, [bad, write("good.json", 1, 3)]))
      outcomes.push("problem" in file ? file.problem : file.imported.conversations[0]?.id);
    assert.deepEqual(outcomes, ["notJson", "chatgpt-good.json-0"]);
  });

  it("stops when no more pieces are needed", async () => {
    const path = write("large.json", 4, 1_000_000);
    for await (const file of readImportsInThread(thread, [path, path, path])) {
      assert.ok("imported" in file);
      break;
    }
  });
});
