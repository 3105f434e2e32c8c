import * as vscode from "vscode";
import type { ServiceError } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { messageOf } from "../../core/kernel/thrown.ts";
import { formatMs } from "../../core/responses/usage/responseFacts.ts";
import type { CellResult } from "../../core/suites/results.ts";
import type { SourceProblem } from "../../core/suites/sourceNode.ts";
import { cellLabel } from "../../core/suites/suite.ts";
import type { SuiteCell } from "../../core/suites/suite.ts";
import type { OpenedSuite } from "./suiteFile.ts";

/** The context value of messages whose response can be accepted. */
const acceptableMessage = "inferenceGateway.response";
/** UTF-16 units of a response in a message without a comparison. */
const longestExcerpt = 4_000;

/** The problems of a response, at the checks that it doesn't satisfy. */
export function resultMessages(
  { uri, rangeOf }: OpenedSuite,
  cell: SuiteCell,
  { outcome, failures, error, response }: CellResult,
): vscode.TestMessage[] {
  if (outcome === "error") {
    const message = new vscode.TestMessage(withExcerpt(error ?? "", response));
    message.location = new vscode.Location(uri, rangeOf(cell.test.range));
    return [message];
  }
  return failures.map(({ message, expected, range }) => {
    const shown =
      expected === undefined
        ? new vscode.TestMessage(withExcerpt(message, response))
        : vscode.TestMessage.diff(message, expected, response);
    shown.location = new vscode.Location(uri, rangeOf(range));
    shown.contextValue = acceptableMessage;
    return shown;
  });
}

function withExcerpt(message: string, response: string): string {
  if (response.trim() === "") return message;
  const isCut = response.length > longestExcerpt;
  return `${message}\n\n${vscode.l10n.t("Response:")}\n${response.slice(0, longestExcerpt)}${isCut ? "…" : ""}`;
}

/** The response for the output of a run, which is a terminal: nothing in the response can control it. */
export function resultOutput(cell: SuiteCell, result: CellResult, locale: string): string {
  const { firstTokenMs, totalMs, response, error } = result;
  const times = [
    ...(firstTokenMs === undefined
      ? []
      : [vscode.l10n.t("{0} to first token", formatMs(firstTokenMs, locale))]),
    vscode.l10n.t("{0} in total", formatMs(totalMs, locale)),
  ];
  const head = `${cell.test.name} · ${cellLabel(cell.model, cell.preset)} · ${times.join(" · ")}`;
  return [head, ...(error === undefined ? [] : [error]), response, "", ""].map(terminalText).join("\r\n");
}

function terminalText(text: string): string {
  return text
    .replace(/\r?\n/g, "\n")
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd")
    .replaceAll("\n", "\r\n");
}

/** Shows the problems of a suite that can't be run, each at its place in the file. */
export function reportProblems(
  run: vscode.TestRun,
  item: vscode.TestItem,
  { uri, rangeOf }: OpenedSuite,
  problems: readonly SourceProblem[],
): undefined {
  const messages = problems.map(({ range, message }) => {
    const shown = new vscode.TestMessage(message);
    shown.location = new vscode.Location(uri, rangeOf(range));
    return shown;
  });
  run.errored(item, messages);
}

/** Explains next to the rows, and in the output of the run, why they weren't run. */
export function reportFailure(
  run: vscode.TestRun,
  items: readonly vscode.TestItem[],
  error: unknown,
): undefined {
  const message = messageOf(error);
  run.appendOutput(lines(message));
  for (const item of items) run.errored(item, new vscode.TestMessage(message));
}

/** How the run of a suite ended. */
interface SuiteEnd {
  /** What would have made every other request fail, too. */
  readonly error: ServiceError | undefined;
  /** Number of requests without a result. */
  readonly missing: number;
  /** The name of the suite if it was deleted during the run. */
  readonly deleted: string | undefined;
}

/** Why a run ended before its last request, and how to get the missing results, for its output. */
export function describeEnd({ error, missing, deleted }: SuiteEnd): string {
  return [
    ...(error === undefined
      ? []
      : [vscode.l10n.t("The run ended because every remaining request would fail, too: {0}", error.message)]),
    ...(missing === 0
      ? []
      : [deleted === undefined ? remainingHint(missing) : deletedHint(deleted, missing)]),
  ]
    .map(lines)
    .join("");
}

function remainingHint(count: number): string {
  return count === 1
    ? vscode.l10n.t("One request has no result. “Run the Remaining Cases” sends only this one.")
    : vscode.l10n.t(
        "{0} requests have no result. “Run the Remaining Cases” sends only these.",
        formatNumber(count, vscode.env.language),
      );
}

function deletedHint(suite: string, count: number): string {
  return count === 1
    ? vscode.l10n.t("{0} was deleted during the run. One request has no result.", suite)
    : vscode.l10n.t(
        "{0} was deleted during the run. {1} requests have no result.",
        suite,
        formatNumber(count, vscode.env.language),
      );
}

/** Output is shown in a terminal. */
function lines(text: string): string {
  return `${text.replace(/\r?\n/g, "\r\n")}\r\n`;
}
