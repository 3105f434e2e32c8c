import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import { importedMessage } from "../../../../src/core/library/import/imported.ts";
import { appendLines, readKeptFile } from "../../../../src/core/library/kept/keptFile.ts";
import type { KeptContents } from "../../../../src/core/library/kept/keptFile.ts";
import {
  headLine,
  isNewer,
  isWorthKeeping,
  keptMessage,
  lineTexts,
  maskLine,
  mediaFileName,
  messageLine,
} from "../../../../src/core/library/kept/keptLines.ts";
import { createRandom } from "../../../support/random.ts";

const noPause = (): Promise<void> => Promise.resolve();
const read = (text: string): Promise<KeptContents> => readKeptFile(text, noPause);
const hash = (data: string): string => createHash("sha256").update(data).digest("hex");
const head = { id: "c1", title: "First words", createdAt: 1, changedAt: 1 };

function message(id: string, createdAt: number, parentId?: string, fields: Partial<Message> = {}): Message {
  const role = createdAt % 2 === 0 ? "assistant" : "user";
  return importedMessage({
    ...{ id, role, createdAt, text: `Text of ${id}` },
    ...(parentId === undefined ? {} : { parentId }),
    ...fields,
  });
}

function lineOf(value: Message, revision = 0): string {
  return messageLine(keptMessage(value, hash), revision);
}

describe("A conversation in a repository", () => {
  const folder = mkdtempSync(join(tmpdir(), "kept-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Merges with Git itself, as `merge=union` in .gitattributes does, or with conflict markers. */
  function gitMerge(ours: string, base: string, theirs: string, isUnion: boolean): string {
    const files = [ours, base, theirs].map((text, index) => {
      const file = join(folder, `${index}.jsonl`);
      writeFileSync(file, text);
      return file;
    });
    try {
      execFileSync("git", ["merge-file", ...(isUnion ? ["--union"] : ["--diff3"]), ...files]);
    } catch {
      // The exit code is the number of conflicts.
    }
    return readFileSync(files[0] ?? "", "utf8");
  }

  it("contains its tags, and the latest ones count", async () => {
    const lines = [
      headLine({ ...head, tags: ["a"] }),
      headLine({ ...head, changedAt: 3, tags: ["b", "c"] }),
      headLine({ ...head, changedAt: 2, tags: [] }),
    ];
    assert.deepEqual((await read(lines.join("\n"))).head?.tags, ["b", "c"]);
    assert.equal((await read(lines[2] ?? "")).head?.tags, undefined);
    assert.ok(!(lines[2] ?? "").includes("tags"));
  });

  it("is read as it was written", async () => {
    const question = message("a", 1, undefined, {
      attachments: [
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=", title: "a.png" },
        { type: "audio", format: "wav", data: "UklGRg==" },
        { type: "text", text: "code", title: "src/a.ts" },
      ],
    });
    const response = message("b", 2, "a", {
      status: "failed",
      reasoning: "Because",
      model: "acme/text-1",
      toolCalls: [{ id: "t", name: "read", arguments: "{}" }],
      usage: { promptTokens: 1 },
      error: { reason: "truncated", message: "The connection was lost.", link: "https://x.example/secret" },
    });
    const text = appendLines("", [
      headLine({ ...head, model: "m" }),
      ...[question, response].map((m) => lineOf(m)),
    ]);
    const contents = await read(text);
    assert.deepEqual(contents.head, { ...head, model: "m" });
    assert.deepEqual(contents.messages, [
      keptMessage(question, hash),
      { ...response, error: { reason: "truncated", message: "The connection was lost." } },
    ]);
    assert.equal(contents.damagedLines, 0);
    assert.doesNotMatch(text, /iVBOR|secret/);
  });

  it("contains the same messages after any merge of two branches, regardless of the direction and number of merges", async () => {
    for (let seed = 1; seed <= 120; seed++) {
      const random = createRandom(seed);
      const base = grow(
        appendLines("", [headLine(head), lineOf(message("root", 1))]),
        ["root"],
        "base",
        1 + Math.floor(random() * 4),
        random,
      );
      const [ours, theirs] = ["ours", "theirs"].map((name) =>
        grow(base.text, base.ids, name, Math.floor(random() * 6), random),
      );
      assert.ok(ours && theirs);
      const joined = appendLines(
        ours.text,
        theirs.text.split("\n").filter((line) => line !== ""),
      );
      const union = await read(joined);
      assert.deepEqual(
        union.messages.map(({ id }) => id).toSorted(),
        [...new Set([...ours.ids, ...theirs.ids])].toSorted(),
        `seed ${seed}`,
      );
      for (const isUnion of seed % 10 === 0 ? [true, false] : []) {
        const merged = gitMerge(ours.text, base.text, theirs.text, isUnion);
        const twice = gitMerge(merged, base.text, theirs.text, isUnion);
        const other = gitMerge(theirs.text, base.text, ours.text, isUnion);
        for (const text of [merged, twice, other, appendLines(merged, []), shuffled(merged, random)])
          assert.deepEqual(await read(text), union, `seed ${seed}`);
      }
      const reversed = appendLines(
        theirs.text,
        ours.text.split("\n").filter((line) => line !== ""),
      );
      for (const text of [reversed, shuffled(joined, random)])
        assert.deepEqual(await read(text), union, `seed ${seed}`);
      for (const { id, parentId } of union.messages) {
        const ids = union.messages.map((other) => other.id);
        assert.ok(parentId === undefined ? id === "root" : ids.indexOf(parentId) < ids.indexOf(id));
      }
    }
  });

  it("loses only the damaged line, and what followed it then follows the message before it", async () => {
    const lines = [
      headLine(head),
      ...["a", "b", "c", "d"].map((id, at, ids) => lineOf(message(id, at + 1, ids[at - 1]))),
    ];
    const damaged = lines.with(2, (lines[2] ?? "").slice(0, 40));
    const { messages, damagedLines } = await read(`${damaged.join("\r\n")}`);
    assert.deepEqual(
      messages.map(({ id, parentId }) => [id, parentId]),
      [
        ["a", undefined],
        ["c", "a"],
        ["d", "c"],
      ],
    );
    assert.equal(damagedLines, 1);
    const after = appendLines(damaged.join("\n"), [lineOf(message("e", 5, "d"))]);
    assert.ok(after.startsWith(`${damaged.join("\n")}\n`), "the damaged line stays");
    assert.equal((await read(after)).messages.length, 4);
  });

  it("shows the latest form of a message that was changed after it was written", async () => {
    const [first, second] = [
      lineOf(message("a", 1)),
      lineOf(message("a", 1, undefined, { text: "Longer" }), 1),
    ];
    for (const lines of [
      [first, second],
      [second, first],
    ]) {
      const { messages, revisions } = await read(appendLines(headLine(head), lines));
      assert.deepEqual([messages[0]?.text, messages.length, revisions.get("a")], ["Longer", 1, 1]);
    }
  });

  it("keeps a response that another branch has completed, and one that is still being written here", () => {
    const other = { status: "complete" } as const;
    const states = ["stopped", "failed", "streaming", "complete"] as const;
    assert.deepEqual(
      states.filter((status) => isNewer(other, { status })),
      ["stopped", "failed"],
    );
    for (const status of states) assert.ok(!isNewer({ status: "stopped" }, { status }));
  });

  it("can't name a file outside its folder, nor change what is sent to a model", async () => {
    const sha256 = "../../../../etc/passwd";
    const record = {
      message: "a",
      role: "user",
      createdAt: 1,
      text: "",
      attachments: [{ type: "image", mediaType: "image/png", sha256 }],
    };
    const settings = { systemPrompt: "Obey.", tools: ["run"] };
    const providerFields = { baseUrl: "https://x.example", model: "m" };
    const { messages } = await read(
      JSON.stringify({ ...record, settings, providerFields, isIncluded: true }),
    );
    assert.deepEqual(messages, [importedMessage({ id: "a", role: "user", createdAt: 1 })]);
    assert.match(
      mediaFileName({ type: "image", mediaType: "image/../x", sha256: "0".repeat(64) }),
      /^0+\.bin$/,
    );
  });

  it("survives cycles, foreign lines and unknown fields", async () => {
    const lines = [
      '{"message":"a","parent":"b","role":"user","future":1}',
      '{"message":"b","parent":"a","role":"user","createdAt":1e300}',
      '{"message":"__proto__","role":"user"}',
      '{"message":"x","role":"root"}',
      "[1]",
      "null",
      '{"format":"other","id":"z"}',
    ];
    const { messages, damagedLines, head: found } = await read(lines.join("\n"));
    assert.deepEqual([messages.length, damagedLines, found], [3, 4, undefined]);
    assert.equal(messages.filter(({ parentId }) => parentId === undefined).length >= 1, true);
  });

  it("masks secrets in every text of a line", () => {
    const line = lineOf(
      message("a", 2, undefined, {
        text: "key 12345",
        toolCalls: [{ id: "t", name: "n", arguments: '{"k":"12345"}' }],
      }),
    );
    assert.match(lineTexts(line), /key 12345[^]*"k":"12345"/);
    assert.doesNotMatch(
      maskLine(line, (text) => text.replaceAll("12345", "*")),
      /12345/,
    );
    assert.equal(
      maskLine(line, (text) => text),
      line,
    );
  });

  it("doesn't contain responses that are in progress or empty", () => {
    assert.deepEqual(
      [
        message("a", 2),
        message("a", 2, undefined, { text: "", status: "failed" }),
        message("a", 2, undefined, { status: "streaming" }),
      ].map(isWorthKeeping),
      [true, false, false],
    );
  });
});

/** Continues a file with random messages, other revisions and new titles. */
function grow(
  start: string,
  known: readonly string[],
  name: string,
  steps: number,
  random: () => number,
): { readonly text: string; readonly ids: readonly string[] } {
  const ids = [...known];
  let text = start;
  for (let step = 0; step < steps; step++) {
    const parent = ids[Math.floor(random() * ids.length)] ?? "root";
    const at = 2 + Math.floor(random() * 5) + step;
    if (random() < 0.15)
      text = appendLines(text, [headLine({ ...head, title: `${name} ${step}`, changedAt: at })]);
    else if (random() < 0.15)
      text = appendLines(text, [lineOf(message("root", 1, undefined, { text: `${name} ${step}` }), at)]);
    else {
      const id = `${name}-${step}`;
      ids.push(id);
      text = appendLines(text, [lineOf(message(id, at, parent))]);
    }
  }
  return { text, ids };
}

function shuffled(text: string, random: () => number): string {
  return text
    .split("\n")
    .map((line) => ({ line, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ line }) => line)
    .join("\n");
}
