import assert from "node:assert/strict";
import { assertLinearWork } from "../../support/countedWork.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeInvisible, inertStatus, inertText, isVisible } from "../../../src/core/kernel/foreignText.ts";
import { isRecord, stringField } from "../../../src/core/kernel/json.ts";

/** The pattern with which VS Code's `parseLinkedText` finds links, in every version from 1.104 to 1.139. */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
const icon = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;
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
      assert.ok(isVisible(shown) && !/[\n\t]/.test(shown), text);
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
    assert.equal(inertText("שלום 你好 Grüße 👩‍💻"), "שלום 你好 Grüße 👩‍💻");
  });
});

describe("Hidden text", () => {
  const hidden: readonly (readonly [what: string, text: string])[] = [
    ["zero-width characters", "a\u200bb"],
    ["a joiner between Latin letters", "a\u200db"],
    ["a joiner at the end of a word", "\u0645\u06cc\u200c "],
    ["repeated joiners in Persian", "\u0645\u06cc\u200c\u200c\u062e"],
    ["a variation selector after a letter", "a\ufe0f"],
    ["a variation selector after a digit", "1\ufe0f"],
    ["repeated variation selectors after an emoji", "😀\ufe0f\ufe0f"],
    ["ideographic variation selectors", "😀\u{e0100}\u{e0141}"],
    ["Hangul fillers", "\u3164\u115f\u1160\uffa0"],
    ["tags", "\u{e0041}\u{e007f}"],
    ["tags after a flag", "\u{1f3f4}\u{e0072}\u{e006d}\u{e007f}"],
    ["soft hyphens", "a\u00adb"],
    ["a grapheme joiner", "a\u034fb"],
    ["Mongolian selectors", "a\u180bb"],
    ["Khmer vowels", "\u17b4"],
    ["musical controls", "\u{1d173}"],
    ["overrides", "a\u202eb\u202c"],
    ["an isolate that isn't closed", "a\u2067b"],
    ["an isolate that ends on another line", "a\u2067b\nc\u2069"],
    ["an end without an isolate", "a\u2069"],
    ["direction marks", "a\u200eb\u061c"],
    ["line separators", "a\u2028b"],
    ["control characters", "a\u001b[2Kb"],
    ["a carriage return in a line", "a\rb"],
    ["half a character", "a\ud83d"],
  ];
  for (const [what, text] of hidden) {
    it(`is visible where it is confirmed: ${what}`, () => {
      assert.equal(isVisible(text), false);
      const shown = escapeInvisible(text);
      assert.match(shown, /\\u[0-9a-f]{4}/);
      assert.ok(isVisible(shown));
      assert.equal(JSON.parse(`"${shown.replaceAll("\n", "\\n")}"`), text);
    });
  }

  const ordinary: readonly (readonly [what: string, text: string])[] = [
    ["emoji sequences", "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👩🏽‍🚀 👁️‍🗨️ 🧑‍🦰 ❤️ ☎︎ 1️⃣ #️⃣"],
    ["the flags of England, Scotland and Wales", "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
    ["Persian", "می‌خواهم خانه‌ای"],
    ["Hindi, Bengali and Sinhala", "क्‍ष र्‌य র‍্য ශ්‍රී"],
    ["closed isolates", "\u2068שלום\u2069 and \u2066a \u2067b\u2069\u2069"],
    ["lines and tabs", "a\tb\r\nc\n"],
  ];
  for (const [what, text] of ordinary) {
    it(`isn't found in ${what}`, () => {
      assert.ok(isVisible(text));
      assert.equal(escapeInvisible(text), text);
    });
  }

  for (const [what, piece] of [
    ["with flags and isolates", "\u2067a\u200b\u{1f3f4}\u{e0072}"],
    ["of tags alone", "\u{e0072}"],
    ["of one letter and selectors", "a\ufe0f\u{e0100}"],
  ] as const)
    it(`is found in linear time in a text ${what}`, () => {
      assertLinearWork(
        2_000,
        (size) => piece.repeat(size),
        (text) => void escapeInvisible(text),
      );
    });
});

describe("A status bar message", () => {
  it("keeps the extension's own icon at the start and removes any other", () => {
    assert.equal(inertStatus("$(check) Applied to $(trash).ts"), "$(check) Applied to $ (trash).ts");
    assert.equal(inertStatus("$(trash) copied"), "$ (trash) copied");
  });
});
