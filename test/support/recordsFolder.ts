import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../src/storage/database/sqlite.ts";
import { RecordsFile } from "../../src/storage/records/recordsFile.ts";

/** A folder with one file of records, and the windows that have it open. */
export class RecordsFolder {
  readonly folder = mkdtempSync(join(tmpdir(), "records-"));
  readonly file = join(this.folder, "global", "records.db");
  /** How often a damaged file was replaced. */
  replacements = 0;
  /** Milliseconds since 1970. */
  now = new Date(2026, 10, 15, 12).getTime();
  readonly #windows: { dispose(): void }[] = [];

  /** Opens the file as another window. */
  open(): RecordsFile {
    const records = openRecords(this.file, {
      now: () => this.now,
      onStartedOver: () => void this.replacements++,
    });
    this.#windows.push(records);
    return records;
  }

  /** Opens the file as another program, which can lock or damage it. */
  openDatabase(): DatabaseSync {
    const database = new DatabaseSync(this.file);
    this.#windows.push({ dispose: () => database.isOpen && database.close() });
    return database;
  }

  /** Names of the files that contain the text. */
  filesWith(text: string, encoding: BufferEncoding = "utf8"): readonly string[] {
    const top = join(this.folder, "global");
    return readdirSync(top).filter((name) => readFileSync(join(top, name)).includes(text, 0, encoding));
  }

  /** Closes all windows, which empties the log. */
  close(): void {
    for (const window of this.#windows.splice(0)) window.dispose();
  }

  remove(): void {
    this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Opens the file of records at this path. */
export function openRecords(
  path: string,
  { now = Date.now, onStartedOver = () => undefined }: { now?(): number; onStartedOver?(): void } = {},
): RecordsFile {
  return new RecordsFile({ sqlite: loadSqlite(), path, now, onStartedOver });
}
