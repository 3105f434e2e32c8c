import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/**
 * The texts in a language by their English sentences, of a file written by the build. Its first line lists the languages,
 * and each following line the texts of one of them, all in the same order; English is first.
 * @param language VS Code's identifier, such as `zh-cn`.
 * @returns undefined in English, if there is no translation, and if the file can't be read: everything works in English.
 */
export function readTranslations(
  file: string,
  language: string,
): Readonly<Record<string, string>> | undefined {
  if (language === "en") return undefined;
  try {
    const lines = brotliDecompressSync(readFileSync(file)).toString().split("\n");
    const index = parseTexts(lines[0]).indexOf(language);
    if (index < 0) return undefined;
    const texts = parseTexts(lines[index + 1]);
    return Object.fromEntries(parseTexts(lines[1]).map((sentence, at) => [sentence, texts[at] ?? sentence]));
  } catch {
    return undefined;
  }
}

function parseTexts(line = "[]"): readonly string[] {
  const texts: unknown = JSON.parse(line);
  return Array.isArray(texts) ? texts.map(String) : [];
}
