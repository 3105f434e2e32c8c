import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoredPermissions, ToolPermissionStore } from "../../core/responses/tools/toolPermissions.ts";

/**
 * The permissions of tools, in a separate file next to the conversations: on disk before they take effect, visible to
 * all windows, and never exported. VS Code's own storage writes them seconds later.
 */
export class PermissionFile implements ToolPermissionStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A file that doesn't exist, can't be read, or isn't JSON grants nothing. */
  read(): unknown {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8"));
    } catch {
      return undefined;
    }
  }

  /** Replaces the whole file at once, so that a kill leaves either the old file or the new one. */
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

/** Makes sure that the rename itself survives a power failure. Windows can't open folders and doesn't need this. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
