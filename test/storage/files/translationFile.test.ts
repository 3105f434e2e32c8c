import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { sentenceKey, textsBySentence } from "../../../src/core/kernel/displayLanguage.ts";
import { readTranslations } from "../../../src/storage/files/translationFile.ts";
import { languages, readTexts } from "../../l10n/support/readTexts.ts";

describe("The file of translations", () => {
  const folder = mkdtempSync(join(tmpdir(), "translations-"));
  const file = join(folder, "translations.br");
  const keys = ["Copy", "Send\nnow"].map(sentenceKey);
  const lines = [
    '["de","zh-cn"]',
    keys.join(""),
    '["Kopieren","Jetzt\\nsenden"]',
    '["复制","立即发送"]',
  ].join("\n");
  writeFileSync(file, brotliCompressSync(lines));

  after(() => rmSync(folder, { recursive: true }));

  it("gives each language its own texts", () => {
    const [copy = "", send = ""] = keys;
    assert.deepEqual(readTranslations(file, "de"), { [copy]: "Kopieren", [send]: "Jetzt\nsenden" });
    assert.deepEqual(readTranslations(file, "zh-cn"), { [copy]: "复制", [send]: "立即发送" });
  });

  it("has the text for every English sentence, and leaves what it doesn't know in English", () => {
    const texts = textsBySentence(readTranslations(file, "de") ?? {});
    assert.equal(texts["Copy"], "Kopieren");
    assert.equal(texts["Send\nnow"], "Jetzt\nsenden");
    for (const other of ["Paste", "", "toString", "constructor", "__proto__", "複製"])
      assert.equal(texts[other], undefined, other);
  });

  it("has different keys for all sentences, each as long as the others", () => {
    const sentences = languages.flatMap((language) =>
      Object.keys(readTexts(`media/l10n/bundle.l10n.${language}.json`)),
    );
    const all = new Map(sentences.map((sentence) => [sentenceKey(sentence), sentence]));
    assert.ok(all.size > 2_000);
    for (const sentence of sentences)
      assert.equal(all.get(sentenceKey(sentence)), sentence, `Reword "${sentence}": its key is taken.`);
    for (const key of all.keys()) assert.match(key, /^[0-9a-z]{4}$/);
  });

  it("returns no texts for English, for which the file isn't even read, or for a language without translations", () => {
    assert.equal(readTranslations(join(folder, "missing.br"), "en"), undefined);
    for (const language of ["fr", "pt-br", "zh-tw", "qps-ploc"])
      assert.equal(readTranslations(file, language), undefined, language);
  });

  it("leaves everything in English if it is missing, truncated or damaged", () => {
    const damaged = join(folder, "damaged.br");
    const bytes = brotliCompressSync(lines);
    for (const contents of [
      Buffer.alloc(0),
      bytes.subarray(0, bytes.length / 2),
      Buffer.from("not compressed"),
      brotliCompressSync('["de"]\nabcde\n["Kop'),
      brotliCompressSync('["de"]'),
      brotliCompressSync("not JSON"),
    ]) {
      writeFileSync(damaged, contents);
      assert.equal(readTranslations(damaged, "de"), undefined);
    }
    assert.equal(readTranslations(join(folder, "missing.br"), "de"), undefined);
    assert.equal(readTranslations(folder, "de"), undefined);
  });
});
