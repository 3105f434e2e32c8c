import * as vscode from "vscode";
import { escapeCodicons, inertText } from "../../../core/kernel/foreignText.ts";
import { formatBytes, shortList } from "../../../core/kernel/formatTime.ts";
import { shortFolder } from "../../../core/servers/files/fileFacts.ts";
import type { FileFacts } from "../../../core/servers/files/fileFacts.ts";
import { browseScript, missingTools, readBrowse } from "../../../core/servers/files/remoteFiles.ts";
import { streamText } from "../../../processes/servers/runRemote.ts";
import { showRemoteFailure } from "../connect/sshProblem.ts";
import { inertItem } from "../../shell/window.ts";
import type { FileServer } from "./transfers.ts";

interface FolderItem extends vscode.QuickPickItem {
  /** What is opened or chosen, as a whole path. */
  readonly path?: string;
  readonly isChoice?: boolean;
  readonly file?: FileFacts;
}

/** What was chosen on a server. */
interface ChosenPath {
  readonly folder: string;
  /** Undefined if it is the folder itself. */
  readonly file?: FileFacts | undefined;
}

interface FolderQuestion {
  readonly title: string;
  /** The label for choosing the folder that is shown, such as `Upload Here`. */
  readonly choose: string;
  readonly start: string;
  /** For a download: files can be chosen too, and there are no new folders. */
  readonly hasFiles: boolean;
}

/** Lets the user browse the folders of a server, or type the path of one. Undefined if the user cancels. */
export async function chooseRemoteFolder(
  { place, row }: FileServer,
  { title, choose, start, hasFiles }: FolderQuestion,
): Promise<ChosenPath | undefined> {
  const pick = vscode.window.createQuickPick<FolderItem>();
  const closed = new AbortController();
  const { signal } = closed;
  let shown = { folder: start, home: "", rows: [] as readonly FolderItem[] };
  const show = (): void => {
    const { folder, home, rows } = shown;
    const typed = pick.value.trim();
    const wanted = typed === "" ? undefined : resolveTyped(typed, folder, home);
    const isKnown = rows.some(({ path }) => path === wanted);
    const typedRow: FolderItem | undefined =
      wanted === undefined || isKnown
        ? undefined
        : {
            label: `$(arrow-right) ${escapeCodicons(shortFolder(wanted, home))}`,
            alwaysShow: true,
            path: wanted,
            isChoice: !hasFiles,
          };
    // Last, so that Enter selects what the typed letters match.
    pick.items = [...rows, ...(typedRow === undefined ? [] : [typedRow])].map(inertItem);
  };
  const open = async (folder: string): Promise<void> => {
    pick.busy = true;
    try {
      const { text, status } = await streamText(place, browseScript(folder), { signal });
      // The folder of the last time may be gone.
      if (status !== 0 && folder === start && start !== "~") return await open("~");
      if (status !== 0)
        throw new Error(vscode.l10n.t("{0} can't be opened on the server.", shortFolder(folder, shown.home)));
      const problem = missingTools(text);
      if (problem !== undefined) throw new Error(problem);
      const { folder: here, home, files } = readBrowse(text);
      shown = { folder: here, home, rows: rowsOf(here, files, { choose, hasFiles, home }) };
      pick.title = inertText(`${title}: ${shortFolder(here, home)}`, 200);
      pick.value = "";
      show();
    } catch (error) {
      if (!signal.aborted) showRemoteFailure(row, error);
      if (shown.rows.length === 0) pick.hide();
    }
    pick.busy = false;
  };
  pick.placeholder = hasFiles
    ? vscode.l10n.t("Select a folder or file, or type a path")
    : vscode.l10n.t("Select a folder, or type the path of a new one");
  pick.title = inertText(title, 200);
  pick.ignoreFocusOut = true;
  return await new Promise((resolve) => {
    pick.onDidChangeValue(show);
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.path === undefined) return;
      if (item.isChoice !== true) return void open(item.path);
      resolve({ folder: item.path, file: item.file });
      pick.hide();
    });
    pick.onDidHide(() => {
      closed.abort();
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
    void open(start);
  });
}

/** More rows than anybody reads, and the number of files whose names show which folder it is. */
const [mostRows, mostNamed] = [2_000, 8];

function rowsOf(
  folder: string,
  files: readonly FileFacts[],
  { choose, hasFiles, home }: { readonly choose: string; readonly hasFiles: boolean; readonly home: string },
): readonly FolderItem[] {
  const inside = folder === "/" ? "" : folder;
  const parent = folder.slice(0, Math.max(1, folder.lastIndexOf("/")));
  const sorted = files.toSorted((first, second) => first.path.localeCompare(second.path));
  const folders = sorted.filter(({ kind }) => kind === "folder").slice(0, mostRows);
  const all = sorted.filter(({ kind }) => kind === "file");
  const others = hasFiles ? all.slice(0, mostRows) : [];
  const named = shortList(all, mostNamed, ({ path }) => path);
  const detail = hasFiles || named === "" ? {} : { detail: vscode.l10n.t("Files here: {0}", named) };
  return [
    {
      ...{ label: `$(check) ${choose}`, description: shortFolder(folder, home), ...detail },
      ...{ path: folder, isChoice: true },
    },
    ...(folder === "/" ? [] : [{ label: "$(arrow-up) ..", path: parent }]),
    ...folders.map(({ path }) => ({ label: `$(folder) ${escapeCodicons(path)}`, path: `${inside}/${path}` })),
    ...others.map((file) => ({
      ...{ label: `$(file) ${escapeCodicons(file.path)}`, description: formatBytes(file.size) },
      ...{ path: folder, isChoice: true, file },
    })),
  ];
}

function resolveTyped(typed: string, folder: string, home: string): string {
  const path = typed.length > 1 && typed.endsWith("/") ? typed.slice(0, -1) : typed;
  if (path.startsWith("/")) return path;
  if (path === "~" || path.startsWith("~/")) return home === "" ? path : `${home}${path.slice(1)}`;
  return `${folder === "/" ? "" : folder}/${path}`;
}
