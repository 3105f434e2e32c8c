import * as vscode from "vscode";

/** What the user set as `inferenceGateway.NAME`: anything at all, to be parsed. */
export function readSetting(name: string): unknown {
  return vscode.workspace.getConfiguration("inferenceGateway").get(name);
}

/** A setting that means something only as a number above 0. */
export function readPositive(name: string, otherwise: number): number {
  const value = readSetting(name);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}
