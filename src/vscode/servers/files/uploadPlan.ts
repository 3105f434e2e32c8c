import { setImmediate as nextTurn } from "node:timers/promises";
import { posix } from "node:path";
import * as vscode from "vscode";
import { isSecretFile } from "../../../core/compose/context/excludeRules.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { bytesOf, compareFiles } from "../../../core/servers/files/fileFacts.ts";
import type { FileComparison, FileFacts } from "../../../core/servers/files/fileFacts.ts";
import { discardScript } from "../../../core/servers/files/remoteFiles.ts";
import type { RemoteLook } from "../../../core/servers/files/remoteFiles.ts";
import { localFiles, UploadSource } from "../../../processes/servers/localFiles.ts";
import type { LocalScan } from "../../../processes/servers/localFiles.ts";
import { streamText } from "../../../processes/servers/runRemote.ts";
import { lookAtRemote, uploadFiles } from "../../../processes/servers/uploadFiles.ts";
import { askRisk, withLateProgress } from "../../shell/window.ts";
import { showRemoteFailure } from "../connect/sshProblem.ts";
import type { ServersView } from "../serversView.ts";
import { agreeToReplace, fileServerOf, leaveOut, runTransfer, stageName } from "./transfers.ts";
import type { FileServer } from "./transfers.ts";
import { vscodeFiles } from "./vscodeFiles.ts";

/** What the user has chosen to upload. */
export interface ChosenFiles {
  readonly source: UploadSource;
  readonly isLocal: boolean;
  /** The name of the only file or folder, or how many there are. */
  readonly name: string;
  /** Whether it is one folder, whose content goes into a folder of its own on the server. */
  readonly isFolder: boolean;
  /** The same for the same files. */
  readonly id: string;
}

/**
 * Files and folders of this machine, or of a remote workspace. What is in one of the folders is left out, because it
 * is uploaded with it.
 */
export async function chosenFiles(given: readonly vscode.Uri[]): Promise<ChosenFiles> {
  const uris = given.map((uri) => (uri.path.endsWith("/") ? uri.with({ path: uri.path.slice(0, -1) }) : uri));
  const isInside = (uri: vscode.Uri): boolean => uris.some((each) => `${uri}`.startsWith(`${each}/`));
  const roots = new Map(uris.map((uri) => [`${uri}`, uri]));
  for (const [id, uri] of roots) if (isInside(uri)) roots.delete(id);
  const named = new Map([...roots.values()].map((uri) => [posix.basename(uri.path), uri]));
  if (named.size < roots.size || named.has(""))
    throw new Error(vscode.l10n.t("Items with the same name can't be uploaded together."));
  const [[name, only] = [""]] = named;
  const isFolder =
    named.size === 1 &&
    only !== undefined &&
    ((await vscode.workspace.fs.stat(only)).type & vscode.FileType.Directory) !== 0;
  const chosen = only !== undefined && isFolder ? new Map([["", only]]) : named;
  const isLocal = uris.every(({ scheme }) => scheme === "file");
  const paths = new Map([...chosen].map(([path, { fsPath }]) => [path, fsPath]));
  return {
    ...{ isFolder, isLocal, id: [...roots.keys()].join(" ") },
    name: named.size === 1 ? name : vscode.l10n.t("{0} items", formatNumber(named.size)),
    source: isLocal ? new UploadSource(localFiles, paths) : new UploadSource(vscodeFiles, chosen),
  };
}

/** Bytes that are uploaded from a file system that may be on another machine: all of them come through this one. */
const mostBytes = 100_000_000;

/** What an upload would do. */
export interface UploadPlan extends FileComparison {
  readonly files: ChosenFiles;
  readonly folder: string;
  readonly stage: string;
  readonly scan: LocalScan;
  readonly look: RemoteLook;
}

/** Compares files with a folder of a server, which needn't exist. Rejects if nothing can be uploaded there. */
export async function planUpload(
  { place, row }: FileServer,
  files: ChosenFiles,
  {
    folder,
    includesIgnored = false,
    signal,
  }: { readonly folder: string; readonly includesIgnored?: boolean; readonly signal: AbortSignal },
): Promise<UploadPlan> {
  const stage = stageName(row.id, folder, files.id);
  const scan = await files.source.scan(includesIgnored);
  signal.throwIfAborted();
  if (!files.isLocal && bytesOf(scan.entries) > mostBytes)
    throw new Error(
      vscode.l10n.t("From here, at most 100 MB can be uploaded. Upload larger files from a local window."),
    );
  const look = await lookAtRemote(
    { place, folder, stage },
    scan.entries.map(({ path }) => path),
    signal,
  );
  // Reading a long list and comparing it each take a while.
  await nextTurn();
  if (look.problem !== undefined) throw new Error(look.problem);
  return { ...compareFiles(scan.entries, look.existing), files, folder, stage, scan, look };
}

/** What has changed in a folder since it was uploaded. */
interface FolderChanges {
  readonly label: string;
  /** The paths of the first ones. */
  readonly names: string;
  readonly plan: UploadPlan;
  /** Whether it was uploaded. Only what is newer there needs a question. */
  upload(): Promise<boolean>;
}

/**
 * Looks for what is new or changed in a folder here. Undefined if nothing is, or if it can't be uploaded, which is
 * reported. Files that usually contain secrets are left out.
 */
export async function findChanges(
  serversView: ServersView,
  row: ServerRow,
  { folder, source }: { readonly folder: string; readonly source: vscode.Uri },
): Promise<FolderChanges | undefined> {
  const server = await fileServerOf(serversView, row);
  if (server === undefined) return undefined;
  try {
    const files = await chosenFiles([source]);
    const task = vscode.l10n.t("Looking at {0} and {1}", files.name, server.name);
    const whole = await withLateProgress(task, ({ signal }) => planUpload(server, files, { folder, signal }));
    const plan = { ...whole, ...leaveOut(whole, secretsOf(whole)) };
    const paths = plan.entries.flatMap(({ kind, path }) => (kind === "folder" ? [] : [path]));
    const count = paths.length;
    if (count === 0) return undefined;
    const names = [...paths.slice(0, 5), ...(count > 5 ? ["…"] : [])].join(", ");
    const label =
      count === 1
        ? vscode.l10n.t("Upload 1 changed file first")
        : vscode.l10n.t("Upload {0} changed files first", formatNumber(count));
    const isAgreed = plan.newer.length === 0;
    const upload = async (): Promise<boolean> => (await runUpload(server, plan, isAgreed)) !== undefined;
    return { label, names, plan, upload };
  } catch (error) {
    showRemoteFailure(row, error);
    return undefined;
  }
}

/**
 * Uploads as planned, after the questions that this needs. Resolves with what was uploaded; undefined if it isn't complete, and
 * the user knows why.
 * @param isAgreed Whether the user has agreed to replace what is there.
 */
export async function runUpload(
  server: FileServer,
  plan: UploadPlan,
  isAgreed = false,
): Promise<readonly FileFacts[] | undefined> {
  const { files, folder, stage, look } = plan;
  const { place, name } = server;
  const staged = bytesOf([...look.staged.values()]);
  const agreed = await withoutSecrets(plan);
  const wanted =
    agreed &&
    (await agreeToReplace(agreed, {
      ...{ where: name, free: look.free === undefined ? undefined : look.free + staged, isAgreed },
    }));
  if (wanted === undefined) return undefined;
  const { entries, replaced } = wanted;
  const isDone = await runTransfer(server, {
    ...{ title: vscode.l10n.t("Uploading {0} to {1}", files.name, name), stage },
    bytes: bytesOf(entries),
    run: (hooks) => uploadFiles({ place, folder, stage, source: files.source, entries, replaced }, hooks),
    async discard() {
      const { signal } = new AbortController();
      await streamText(place, discardScript(folder, stage, !look.exists), { signal });
    },
  });
  return isDone ? entries : undefined;
}

/** Names the files that usually contain secrets before they are uploaded. Undefined if the user cancels. */
async function withoutSecrets(plan: UploadPlan): Promise<FileComparison | undefined> {
  const secret = secretsOf(plan);
  if (secret.size === 0) return plan;
  const question =
    secret.size === 1
      ? vscode.l10n.t("Upload a file that usually contains secrets?")
      : vscode.l10n.t("Upload {0} files that usually contain secrets?", formatNumber(secret.size));
  const choices = { [vscode.l10n.t("Leave Out")]: false, [vscode.l10n.t("Upload")]: true };
  const isWanted = await askRisk(question, [...secret].slice(0, 100).join("\n"), choices);
  if (isWanted === undefined) return undefined;
  return isWanted ? plan : leaveOut(plan, secret);
}

const secretsOf = ({ entries }: UploadPlan): ReadonlySet<string> =>
  new Set(entries.flatMap(({ path, kind }) => (kind === "file" && isSecretFile(path) ? [path] : [])));
