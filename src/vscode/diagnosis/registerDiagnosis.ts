import * as vscode from "vscode";
import { copyReportCommand, fixConnectionCommand } from "../shell/commandIds.ts";
import { registerCommands } from "../shell/registerCommands.ts";
import type { DiagnosticsContext } from "./copyDiagnostics.ts";
import type { Diagnoses, DiagnosisContext } from "./diagnoses.ts";

/** Registers "Diagnose Connection" and the actions of its report. The implementation is loaded at the first use. */
export function registerDiagnosis(context: DiagnosisContext & DiagnosticsContext): vscode.Disposable {
  let diagnoses: Promise<Diagnoses> | undefined;
  const load = (): Promise<Diagnoses> =>
    (diagnoses ??= import("./diagnoses.ts").then((loaded) => new loaded.Diagnoses(context)));
  return vscode.Disposable.from(
    registerCommands("diagnosis", {
      diagnoseConnection: async (profileName: unknown) => (await load()).run(profileName),
      copyDiagnostics: async () => (await import("./copyDiagnostics.ts")).copyDiagnostics(context),
    }),
    vscode.commands.registerCommand(fixConnectionCommand, async (index: unknown) =>
      (await load()).applyFix(index),
    ),
    vscode.commands.registerCommand(copyReportCommand, async () => (await load()).copy()),
    { dispose: () => void diagnoses?.then((loaded) => loaded.dispose()) },
  );
}
