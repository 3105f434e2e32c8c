import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quantize } from "../../../src/core/library/meaning/passages.ts";
import { loadSqlite } from "../../../src/storage/database/sqlite.ts";
import { MeaningIndex } from "../../../src/storage/search/meaningIndex.ts";

describe("The index for search by meaning", () => {
  let folder: string;
  let file: string;
  let open: MeaningIndex[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "meaning-"));
    file = join(folder, "meaning.db");
    open = [];
  });
  afterEach(() => {
    for (const index of open) index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function openIndex(source = "a"): MeaningIndex {
    const index = new MeaningIndex(loadSqlite(), file);
    open.push(index);
    index.open(source);
    return index;
  }

  function passage(messageId: string, part: number, text: string) {
    const vector = quantize([part + 1, 1]) ?? assert.fail();
    return { messageId, part, text, hash: `hash of ${text}`, vector };
  }

  it("keeps what was added before a kill, and continues from there", () => {
    openIndex().put("c1", [passage("m", 0, "one"), passage("m", 1, "two")]);
    const index = openIndex();
    assert.equal(index.states().get("c1"), "");
    assert.deepEqual(
      [...index.hashes("c1")],
      [
        ["m 0", "hash of one"],
        ["m 1", "hash of two"],
      ],
    );
    index.finish("c1", "state 1", [passage("m", 0, "one")]);
    assert.equal(index.states().get("c1"), "state 1");
    assert.equal(index.count, 1);
  });

  it("returns every passage with its vector, in bounded pieces", () => {
    const index = openIndex();
    for (let id = 0; id < 30; id++)
      index.put(
        `c${id}`,
        Array.from({ length: 30 }, (_, part) => passage("m with space", part, `text ${part}`)),
      );
    const pieces = [...index.scan()];
    assert.ok(pieces.every((piece) => piece.length <= 400));
    const all = pieces.flat();
    assert.equal(all.length, 900);
    assert.deepEqual(all[1]?.vector, quantize([2, 1]));
    assert.deepEqual(
      [all[1]?.conversationId, all[1]?.messageId, all[1]?.snippet],
      ["c0", "m with space", "text 1"],
    );
  });

  it("leaves nothing of a removed conversation on disk, not even in its log", () => {
    const index = openIndex();
    index.put("c1", [passage("m", 0, "canary-passage-0001")]);
    index.put("c2", [passage("m", 0, "other")]);
    index.remove(["c1"]);
    for (const name of readdirSync(folder))
      assert.ok(!readFileSync(join(folder, name), "latin1").includes("canary-passage"), name);
    assert.deepEqual([...index.states().keys()], ["c2"]);
  });

  it("starts over for another model or address, and if the file is damaged", () => {
    openIndex("a").put("c1", [passage("m", 0, "one")]);
    assert.equal(openIndex("a").count, 1);
    assert.equal(openIndex("b").count, 0);
    for (const index of open.splice(0)) index.close();
    writeFileSync(file, "not a database".repeat(1_000));
    const index = openIndex("b");
    index.put("c1", [passage("m", 0, "one")]);
    assert.equal(index.count, 1);
  });

  it("is filled by one window at a time, and by another one once that window is gone", () => {
    const [first, second] = [openIndex(), openIndex()];
    assert.ok(first.claim("first", 1_000_000));
    assert.ok(!second.claim("second", 1_030_000));
    assert.ok(first.claim("first", 1_050_000));
    assert.ok(!second.claim("second", 1_100_000));
    assert.ok(second.claim("second", 1_120_000));
    assert.ok(first.claim("first", 5_000), "a clock that was set back keeps no window out");
  });

  it("is deleted as a whole, which other windows notice, and only its owner can read it", () => {
    const [first, second] = [openIndex(), openIndex()];
    first.put("c1", [passage("m", 0, "one")]);
    if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o077, 0);
    second.delete();
    assert.deepEqual(readdirSync(folder), []);
    assert.ok(first.isGone);
    first.open("a");
    assert.equal(first.count, 0);
  });
});
