import * as vscode from "vscode";
import { isSecretFile } from "../../../core/compose/context/excludeRules.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { bytesOf, compareFiles } from "../../../core/servers/files/fileFacts.ts";
import type { FileComparison, FileFacts } from "../../../core/servers/files/fileFacts.ts";
import { discardScript } from "../../../core/servers/files/remoteFiles.ts";
import type { RemoteLook } from "../../../core/servers/files/remoteFiles.ts";
import { LocalFiles } from "../../../processes/servers/localFiles.ts";
import type { LocalScan, UploadSource } from "../../../processes/servers/localFiles.ts";
import { streamText } from "../../../processes/servers/runRemote.ts";
import { lookAtRemote, uploadFiles } from "../../../processes/servers/uploadFiles.ts";
import { askRisk } from "../../shell/window.ts";
import { agreeToReplace, runTransfer, stageName } from "./transfers.ts";
import type { FileServer } from "./transfers.ts";
import { VscodeFiles } from "./vscodeFiles.ts";

/** What the user has chosen to upload. */
export interface ChosenFiles {
  readonly source: UploadSource;
  /** The name of the only file or folder, or how many there are. */
  readonly name: string;
  /** Whether it is one folder, whose content goes into a folder of its own on the server. */
  readonly isFolder: boolean;
  /** The same for the same files. */
  readonly id: string;
}

/** Files and folders of this machine, or of a remote workspace. */
export async function chosenFiles(uris: readonly vscode.Uri[]): Promise<ChosenFiles> {
  const [only] = uris;
  const stat = only === undefined || uris.length > 1 ? undefined : await vscode.workspace.fs.stat(only);
  const isFolder = stat !== undefined && (stat.type & vscode.FileType.Directory) !== 0;
  const isLocal = uris.every(({ scheme }) => scheme === "file");
  const paths = uris.map(({ fsPath }) => fsPath);
  const name =
    uris.length === 1
      ? (only?.path.split("/").at(-1) ?? "")
      : vscode.l10n.t("{0} items", formatNumber(uris.length));
  const source = isLocal ? new LocalFiles(paths, isFolder) : new VscodeFiles(uris, isFolder);
  return { source, name, isFolder, id: uris.map(String).join(" ") };
}

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
  const look = await lookAtRemote(
    { place, folder, stage },
    scan.entries.map(({ path }) => path),
    signal,
  );
  if (look.problem !== undefined) throw new Error(look.problem);
  return { ...compareFiles(scan.entries, look.existing), files, folder, stage, scan, look };
}

/**
 * Uploads as planned, after the questions that this needs. Resolves with what was uploaded; undefined if it isn't complete, and
 * the user knows why.
 */
export async function runUpload(
  server: FileServer,
  plan: UploadPlan,
): Promise<readonly FileFacts[] | undefined> {
  const { files, folder, stage, look } = plan;
  const { place, name } = server;
  const staged = bytesOf([...look.staged.values()]);
  const agreed = await withoutSecrets(plan);
  const wanted =
    agreed && (await agreeToReplace(agreed, name, look.free === undefined ? undefined : look.free + staged));
  if (wanted === undefined) return undefined;
  const { entries, replaced } = wanted;
  const isDone = await runTransfer(server, {
    title: vscode.l10n.t("Uploading {0} to {1}", files.name, name),
    ...{ isUpload: true, bytes: bytesOf(entries) },
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
  const secret = new Set(
    plan.entries.flatMap(({ path, kind }) => (kind === "file" && isSecretFile(path) ? [path] : [])),
  );
  if (secret.size === 0) return plan;
  const question =
    secret.size === 1
      ? vscode.l10n.t("Upload a file that usually contains secrets?")
      : vscode.l10n.t("Upload {0} files that usually contain secrets?", formatNumber(secret.size));
  const choices = { [vscode.l10n.t("Leave Out")]: false, [vscode.l10n.t("Upload")]: true };
  const isWanted = await askRisk(question, [...secret].slice(0, 100).join("\n"), choices);
  if (isWanted === undefined) return undefined;
  const isLeft = (path: string): boolean => isWanted || !secret.has(path);
  const { entries, replaced, newer } = plan;
  return {
    ...{ ...plan, entries: entries.filter(({ path }) => isLeft(path)) },
    ...{ replaced: replaced.filter(isLeft), newer: newer.filter(isLeft) },
  };
}
