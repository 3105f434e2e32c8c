import assert from "node:assert/strict";

type Texts = Readonly<Record<string, string>>;

/** Throws unless each text has a translation with the same placeholders, links, commands and icons. */
export function assertTranslated(texts: Texts, translations: Texts): void {
  const missing = Object.keys(texts).filter((key) => !(key in translations));
  assert.deepEqual(missing, [], `${missing.length} are not translated`);
  const leftOver = Object.keys(translations).filter((key) => !(key in texts));
  assert.deepEqual(leftOver, [], `${leftOver.length} translate what nobody says any more`);
  for (const [key, text] of Object.entries(texts)) {
    const translation = translations[key] ?? "";
    assert.notEqual(translation.trim(), "", key);
    assert.deepEqual(fixedParts(translation), fixedParts(text), key);
    // Leading and trailing whitespace joins sentences to the surrounding text.
    assert.equal(/\s*$/.exec(translation)?.[0], /\s*$/.exec(text)?.[0], key);
  }
}

/** What must be the same in every language: placeholders, link targets, code and icons. */
function fixedParts(text: string): readonly string[] {
  const parts = text.match(/\{\d+\}|\]\([^)]*\)|`[^`]*`|\$\([a-z-]+\)/g) ?? [];
  return [...new Set(parts)].toSorted();
}
