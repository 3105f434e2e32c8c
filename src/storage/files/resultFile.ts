import { appendFileSync, readFileSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createPrivateFile, hasPrivateFile } from "./privateFile.ts";

/** Longer files aren't read: their results are requested again. */
const largest = 256 * 1024 * 1024;

/**
 * The lines of results, each written as soon as there is one, so that a run that is killed can be continued. Only the
 * user can read the file.
 */
export class ResultFile {
  readonly #path: string;
  readonly #isOwnFolder: boolean;
  #mustBreak: boolean | undefined;

  /** @param isOwnFolder Whether the folder is one of our own, which only the user may read. */
  constructor(path: string, isOwnFolder: boolean) {
    this.#path = path;
    this.#isOwnFolder = isOwnFolder;
  }

  async read(): Promise<string> {
    if (!hasPrivateFile(this.#path)) return "";
    const bytes = await readFile(this.#path);
    return bytes.length > largest ? "" : bytes.toString("utf8");
  }

  /** Replaces the file, so that it doesn't grow with every run. */
  async rewrite(text: string): Promise<void> {
    createPrivateFile(this.#path, this.#isOwnFolder);
    await writeFile(`${this.#path}.new`, text, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
    this.#mustBreak = undefined;
  }

  /** @param line Ends with a line break. */
  append(line: string): void {
    createPrivateFile(this.#path, this.#isOwnFolder);
    // The incomplete last line of a killed run must not be joined with this one.
    this.#mustBreak ??= !/(?:^|\n)$/.test(readFileSync(this.#path, "utf8"));
    appendFileSync(this.#path, `${this.#mustBreak ? "\n" : ""}${line}`);
    this.#mustBreak = false;
  }
}
