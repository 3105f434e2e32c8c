import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";

/** Writes files by their paths; a value that begins with `->` is where a link leads. */
export function writeTree(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    const whole = join(folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    if (typeof content === "string" && content.startsWith("->")) symlinkSync(content.slice(2), whole);
    else writeFileSync(whole, content);
  }
}

/** Everything below a folder by its path: what a file contains and its permissions, or where a link leads. */
export function readTree(folder: string, path = ""): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, path)).sort()) {
    const inner = path === "" ? name : `${path}/${name}`;
    const whole = join(folder, inner);
    const facts = lstatSync(whole);
    if (facts.isSymbolicLink()) found[inner] = `-> ${readlinkSync(whole)}`;
    else if (facts.isDirectory()) Object.assign(found, { [`${inner}/`]: "" }, readTree(folder, inner));
    else
      found[inner] =
        `${createHash("sha256").update(readFileSync(whole)).digest("hex")} ${(facts.mode & 0o777).toString(8)} ${Math.floor(facts.mtimeMs / 1000)}`;
  }
  return found;
}

/** Names that break programs which don't quote them. */
export const oddNames = [
  "with space.txt",
  'it\'s "quoted" $HOME `id`.txt',
  "two\nlines.txt",
  "Äöü ß 漢字 🙂.txt",
  "-rf",
  "--checkpoint=1",
  "@list",
  "back\\slash",
  "tab\there",
  "*",
  "~",
  "#!",
  "..hidden",
  "trailing ",
  `${"long".repeat(40)}.txt`,
] as const;

/** Lets every account write there. */
export function openFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  return folder;
}
