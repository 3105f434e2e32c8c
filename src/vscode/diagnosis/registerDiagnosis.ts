import * as vscode from "vscode";
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
      fixConnection: async (index: unknown) => (await load()).applyFix(index),
      copyReport: async () => (await load()).copy(),
      copyDiagnostics: async () => (await import("./copyDiagnostics.ts")).copyDiagnostics(context),
    }),
    { dispose: () => void diagnoses?.then((loaded) => loaded.dispose()) },
  );
}
