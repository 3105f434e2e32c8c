import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { importSource } from "./importSource.js";

/**
 * Writes the translations of all languages into one file, without the English sentences, which are in the code. In VS
 * Code's format, each language is a file with all English sentences, more than twice as large in total.
 * `src/storage/files/translationFile.ts` reads the file and describes its lines.
 */
export const translations = {
  name: "translations",
  setup({ initialOptions, onEnd }) {
    onEnd(async () => {
      const folder = "media/l10n";
      const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
      const bundles = await Promise.all(
        files.map(async (name) => JSON.parse(await readFile(`${folder}/${name}`, "utf8"))),
      );
      const sentences = [...new Set(bundles.flatMap(Object.keys))].sort();
      const languages = files.map((name) => /^bundle\.l10n\.(.+)\.json$/.exec(name)[1]);
      const texts = bundles.map((bundle) => sentences.map((sentence) => bundle[sentence] ?? ""));
      const { sentenceKey } = await importSource("src/core/kernel/displayLanguage.ts");
      const keys = sentences.map(sentenceKey);
      const same = sentences.find((_, at) => keys.indexOf(keys[at]) < at);
      if (same !== undefined) throw new Error(`Another sentence has the same key: reword "${same}".`);
      const lines = [JSON.stringify(languages), keys.join(""), ...texts.map((line) => JSON.stringify(line))];
      const file = resolve(initialOptions.outdir, "translations.br");
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, brotliCompressSync(lines.join("\n")));
    });
  },
};
