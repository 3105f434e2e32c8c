import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

/** What a source exports that imports nothing. */
export async function importSource(path) {
  const { code } = await transform(await readFile(new URL(`../../${path}`, import.meta.url), "utf8"), {
    loader: "ts",
  });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}
