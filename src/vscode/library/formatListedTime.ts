import * as vscode from "vscode";

/** Creating a formatter takes longer than using it a hundred times. */
let formatter: Intl.DateTimeFormat | undefined;

/** A time (milliseconds since 1970) for a row of a list of conversations. */
export function formatListedTime(time: number): string {
  formatter ??= new Intl.DateTimeFormat(vscode.env.language, { dateStyle: "medium", timeStyle: "short" });
  return formatter.format(time);
}
