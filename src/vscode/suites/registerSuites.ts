import * as vscode from "vscode";
import { isSuitePath, suiteGlob } from "../../core/suites/suitePath.ts";
import { registerCommands } from "../shell/registerCommands.ts";
import type { Suites, SuitesContext } from "./suites.ts";

/** Milliseconds after startup, when nothing else is waiting, until suites are searched for. */
const searchDelayMs = 3_000;

/** Shows prompt suites in the Testing view, which appears only once there is one. The implementation is loaded then. */
export function registerSuites(context: SuitesContext): vscode.Disposable {
  let suites: Promise<Suites> | undefined;
  const load = (): Promise<Suites> =>
    (suites ??= import("./suites.ts").then((loaded) => new loaded.Suites(context)));
  const loadFor = (uri: vscode.Uri): void => {
    if (isSuitePath(uri.path) && uri.scheme !== "git") void load();
  };
  const search = async (): Promise<void> => {
    const { findFiles } = await import("../shell/findFiles.ts");
    const found = await findFiles({ glob: suiteGlob, max: 1 });
    for (const uri of found) loadFor(uri);
  };
  const timer = setTimeout(() => void search(), searchDelayMs);
  for (const { uri } of vscode.workspace.textDocuments) loadFor(uri);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(({ uri }) => loadFor(uri)),
    vscode.workspace.onDidCreateFiles(({ files }) => files.forEach(loadFor)),
    registerCommands("suites", {
      acceptResponse: async (clicked?: unknown, selected?: unknown) =>
        (await load()).accept(clicked, selected),
    }),
    {
      dispose: () => {
        clearTimeout(timer);
        void suites?.then((loaded) => loaded.dispose());
      },
    },
  );
}
