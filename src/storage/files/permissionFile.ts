import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoredPermissions, ToolPermissionStore } from "../../core/responses/tools/toolPermissions.ts";

/**
 * The permissions of tools, in a file of their own beside the conversations: on disk before they take effect, visible
 * to all windows, and never exported. VS Code's own store writes seconds later.
 */
export class PermissionFile implements ToolPermissionStore {
  readonly #folder: string;
  readonly #readOld: () => unknown;

  /** @param readOld What applies as long as there is no file: the permissions of an older version. */
  constructor(folder: string, readOld: () => unknown) {
    this.#folder = folder;
    this.#readOld = readOld;
  }

  /** A file that can't be read, or isn't JSON, grants nothing. */
  read(): unknown {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8"));
    } catch (error) {
      return isMissing(error) ? this.#readOld() : undefined;
    }
  }

  /** Replaces the file whole, so that a kill leaves the old one or the new one. */
  write(permissions: StoredPermissions): Promise<void> {
    return Promise.resolve().then(() => this.#replace(JSON.stringify(permissions)));
  }

  #replace(text: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${process.pid}`;
    const descriptor = openSync(draft, "w", 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, this.#path);
    syncFolder(this.#folder);
  }

  get #path(): string {
    return join(this.#folder, "toolPermissions.json");
  }
}

/** Makes the renaming itself survive a failure of power; Windows opens no folders and needs none of this. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
