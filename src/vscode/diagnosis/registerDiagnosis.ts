import * as vscode from "vscode";
import { commandIds } from "../shell/commandIds.ts";
import type { DiagnosticsContext } from "./copyDiagnostics.ts";
import type { Diagnoses, DiagnosisContext } from "./diagnoses.ts";

/** Registers "Diagnose Connection" and the actions of its report. The implementation is loaded at the first use. */
export function registerDiagnosis(context: DiagnosisContext & DiagnosticsContext): vscode.Disposable {
  let diagnoses: Promise<Diagnoses> | undefined;
  const load = (): Promise<Diagnoses> =>
    (diagnoses ??= import("./diagnoses.ts").then((loaded) => new loaded.Diagnoses(context)));
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    registerCommand(commandIds.diagnoseConnection, async (profileName: unknown) =>
      (await load()).run(profileName),
    ),
    registerCommand(commandIds.fixConnection, async (index: unknown) => (await load()).applyFix(index)),
    registerCommand(commandIds.copyReport, async () => (await load()).copy()),
    registerCommand(commandIds.copyDiagnostics, async () =>
      (await import("./copyDiagnostics.ts")).copyDiagnostics(context),
    ),
    { dispose: () => void diagnoses?.then((loaded) => loaded.dispose()) },
  );
}
