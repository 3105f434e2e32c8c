import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inertStatus, inertText } from "../../../src/core/kernel/foreignText.ts";
import { isRecord, stringField } from "../../../src/core/kernel/json.ts";

/** The pattern with which VS Code's `parseLinkedText` finds links, in every version from 1.104 to 1.139. */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
const icon = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;
const hidden = /[\p{Cf}\p{Cc}\u2028\u2029]/u;

const target = "command:workbench.action.quit";

/** Names that servers, files, models, profiles and pages could have. */
const hostile: readonly string[] = [
  `[Open](${target})`,
  `[Open](${target} "Harmless")`,
  `a]b[Open](${target}?%5B%22x%22%5D) tail`,
  `[Open]\u200b(${target})`,
  `[Open]\u2060(${target})`,
  `[Open]\u202e(${target})`,
  `[Open]\ufe00(${target})`,
  `[Open]\u{e0100}(${target})`,
  `[Open]\u0000(${target})`,
  `[Open]\n(${target})`,
  "[docs](https://evil.example/?q=1)",
  "[file](file:///etc/passwd)",
  `[a](${target})[b](${target})`,
  `[[x]](${target})`,
  `$(trash)[Open](${target})$(sync~spin)`,
  `$\u200b(trash) $\u200b(sync~spin)`,
];

function corpus(): readonly string[] {
  const file = join(import.meta.dirname, "../../../shared/corpora/rendering-attacks.json");
  if (!existsSync(file)) return [];
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  const payloads: readonly unknown[] =
    isRecord(read) && Array.isArray(read["payloads"]) ? read["payloads"] : [];
  return payloads.filter(isRecord).flatMap((payload) => stringField(payload, "payload") ?? []);
}

describe("Untrusted text in a VS Code message", () => {
  const texts = [...hostile, ...corpus()];
  // The text surrounded by our own messages and truncated in awkward places.
  const wrapped = texts.flatMap((text) => [
    text,
    `“${text}” couldn't be read.`,
    `[${text}](${target})`,
    `[${text}](${text})`,
    `${"x".repeat(990)}${text}`,
    `${text}${"\u200b".repeat(5_000)}(${target})`,
  ]);

  it("contains no link, icon or hidden character", () => {
    for (const text of wrapped) {
      const shown = inertText(text);
      assert.doesNotMatch(shown, link, text);
      assert.doesNotMatch(shown, icon, text);
      assert.doesNotMatch(shown, hidden, text);
      // A message may be made inert more than once.
      assert.equal(inertText(shown, 2_000), shown, text);
    }
  });

  it("is no longer than what VS Code shows", () => {
    assert.ok(inertText("](".repeat(100_000)).length <= 1_500);
    assert.equal(inertText("x".repeat(5_000)).length, 1_000);
  });

  it("stays readable", () => {
    assert.equal(inertText(`[Open](${target})`), `[Open] (${target})`);
    assert.equal(inertText("Kosten: 5 $ (netto), a[0](b)"), "Kosten: 5 $ (netto), a[0] (b)");
    assert.equal(inertText("שלום 你好 Grüße 👩‍💻"), "שלום 你好 Grüße 👩💻");
  });
});

describe("A status bar message", () => {
  it("keeps the extension's own icon at the start and removes any other", () => {
    assert.equal(inertStatus("$(check) Applied to $(trash).ts"), "$(check) Applied to $ (trash).ts");
    assert.equal(inertStatus("$(trash) copied"), "$ (trash) copied");
  });
});
