import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { readTranslations } from "../../../src/storage/files/translationFile.ts";

describe("The file of translations", () => {
  const folder = mkdtempSync(join(tmpdir(), "translations-"));
  const file = join(folder, "translations.br");
  const lines = [
    ["en", "de", "zh-cn"],
    ["Copy", "Send\nnow"],
    ["Kopieren", "Jetzt\nsenden"],
    ["复制", "立即发送"],
  ];
  writeFileSync(file, brotliCompressSync(lines.map((line) => JSON.stringify(line)).join("\n")));

  after(() => rmSync(folder, { recursive: true }));

  it("gives each language its own texts", () => {
    assert.deepEqual(readTranslations(file, "de"), { Copy: "Kopieren", "Send\nnow": "Jetzt\nsenden" });
    assert.deepEqual(readTranslations(file, "zh-cn"), { Copy: "复制", "Send\nnow": "立即发送" });
  });

  it("gives no texts in English, for which it isn't even read, or in a language without translations", () => {
    assert.equal(readTranslations(join(folder, "missing.br"), "en"), undefined);
    for (const language of ["fr", "pt-br", "zh-tw", "qps-ploc"])
      assert.equal(readTranslations(file, language), undefined, language);
  });

  it("leaves everything in English if it is missing, truncated or damaged, because the extension needs nothing of it", () => {
    const damaged = join(folder, "damaged.br");
    const bytes = brotliCompressSync(lines.map((line) => JSON.stringify(line)).join("\n"));
    for (const contents of [
      Buffer.alloc(0),
      bytes.subarray(0, bytes.length / 2),
      Buffer.from("not compressed"),
      brotliCompressSync('["en","de"]\n["Copy"]\n["Kop'),
      brotliCompressSync("not JSON"),
    ]) {
      writeFileSync(damaged, contents);
      assert.equal(readTranslations(damaged, "de"), undefined);
    }
    assert.equal(readTranslations(join(folder, "missing.br"), "de"), undefined);
    assert.equal(readTranslations(folder, "de"), undefined);
  });
});
