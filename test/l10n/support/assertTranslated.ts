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
    // Spaces and line breaks at the ends join sentences to what stands beside them.
    assert.equal(/\s*$/.exec(translation)?.[0], /\s*$/.exec(text)?.[0], key);
  }
}

/** What has to be the same in every language: placeholders, targets of links, code and icons. */
function fixedParts(text: string): readonly string[] {
  const parts = text.match(/\{\d+\}|\]\([^)]*\)|`[^`]*`|\$\([a-z-]+\)/g) ?? [];
  return [...new Set(parts)].toSorted();
}
