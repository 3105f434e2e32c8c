import { join, posix } from "node:path";
import * as vscode from "vscode";
import * as v from "valibot";
import { isRecord } from "../../../core/kernel/json.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import type { ServersView } from "../serversView.ts";

const key = "inferenceGateway.servers.workFolders";
const schema = v.object({
  /** On the server. */
  folder: v.string(),
  /** The URI of the folder here whose files belong there. */
  source: v.optional(v.string()),
  /** Whether its changed files are uploaded before a job starts. */
  uploads: v.optional(v.boolean()),
});

type WorkFolder = Readonly<v.InferOutput<typeof schema>>;

/** Where the user has last worked on a server from this workspace; undefined if there was nothing yet. */
export function workFolderOf({ context }: ServersView, { id }: ServerRow): WorkFolder | undefined {
  const stored: unknown = context.workspaceState.get(key);
  const parsed = v.safeParse(schema, isRecord(stored) ? stored[id] : undefined);
  return parsed.success ? parsed.output : undefined;
}

/** Remembers the folder for this workspace and server. */
export async function keepWorkFolder(
  { context: { workspaceState } }: ServersView,
  { id }: ServerRow,
  folder: WorkFolder,
): Promise<void> {
  const stored: unknown = workspaceState.get(key);
  await workspaceState.update(key, { ...(isRecord(stored) ? stored : {}), [id]: folder });
}

/** The folder here whose files belong into a folder of a server: what was uploaded there, or what is called the same. */
export function sourceOf(known: WorkFolder | undefined, folder: string): vscode.Uri | undefined {
  if (known?.source !== undefined && known.folder === folder) return vscode.Uri.parse(known.source, true);
  const name = folder.split("/").at(-1);
  return vscode.workspace.workspaceFolders?.find((each) => each.name === name)?.uri;
}

/**
 * Where the files of a folder of a server belong on this machine: in their project, at the same path, so that they are the
 * same files in the next upload. Undefined if the folder isn't in one.
 */
export function localPlaceOf(known: WorkFolder | undefined, folder: string): string | undefined {
  for (let parent = folder; parent.length > 1; parent = posix.dirname(parent)) {
    const source = sourceOf(known, parent);
    if (source?.scheme === "file") return join(source.fsPath, posix.relative(parent, folder));
  }
  return undefined;
}
