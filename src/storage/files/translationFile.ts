import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { keyLength } from "../../core/kernel/displayLanguage.ts";

/**
 * The texts in a language by the keys of their English sentences, of a file written by the build. Its first line lists
 * the languages, the second has the keys of all sentences, one after the other, and each following line the texts of
 * one language, in the same order.
 * @param language VS Code's identifier, such as `zh-cn`.
 * @returns undefined in English, if there is no translation, and if the file can't be read: everything works in
 * English.
 */
export function readTranslations(
  file: string,
  language: string,
): Readonly<Record<string, string>> | undefined {
  if (language === "en") return undefined;
  try {
    const lines = brotliDecompressSync(readFileSync(file)).toString().split("\n");
    const index = parseTexts(lines[0]).indexOf(language);
    const [, keys = "", ...texts] = lines;
    if (index < 0) return undefined;
    return Object.fromEntries(
      parseTexts(texts[index]).map((text, at) => [keys.slice(at * keyLength, (at + 1) * keyLength), text]),
    );
  } catch {
    return undefined;
  }
}

function parseTexts(line = ""): readonly string[] {
  const texts: unknown = JSON.parse(line);
  return Array.isArray(texts) ? texts.map(String) : [];
}
