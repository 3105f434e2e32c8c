import * as vscode from "vscode";
import { longestSuite, parseSuite, presetOf } from "../../core/suites/parseSuite.ts";
import { AcceptedResponses } from "../../core/suites/results.ts";
import { acceptedPath } from "../../core/suites/suitePath.ts";
import type { AcceptedResponse } from "../../core/suites/results.ts";
import type { SourceProblem, SourceRange } from "../../core/suites/sourceNode.ts";
import { filesOf } from "../../core/suites/suite.ts";
import type { Suite, SuiteCase } from "../../core/suites/suite.ts";
import { refuseLarge } from "../../core/suites/suiteFiles.ts";
import type { FileContent, ReadSuiteFile } from "../../core/suites/suiteFiles.ts";
import { fileContent } from "../../workers/suites/fileContent.ts";
import { readYaml } from "../../workers/suites/readYaml.ts";
import { guardFiles } from "../compose/context/ignoreFiles.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { passBoundaryForWriting, resolveFile } from "../shell/fileBoundary.ts";
import { exists } from "../shell/findFiles.ts";
import { findOpen } from "../shell/readText.ts";
import { messageOf } from "../../core/kernel/thrown.ts";

/** A suite in its editor or its file. */
export interface OpenedSuite {
  readonly uri: vscode.Uri;
  readonly suite: Suite;
  readonly problems: readonly SourceProblem[];
  rangeOf(range: SourceRange): vscode.Range;
}

const nothing: Suite = { concurrency: 1, cases: [] };

/** Reads and parses the suite, including unsaved changes. Its problems are part of the result. */
export async function openSuite(uri: vscode.Uri): Promise<OpenedSuite> {
  const whole = { start: 0, end: 1 };
  let text: string;
  try {
    text = await readSuiteText(uri);
  } catch (error) {
    const message = messageOf(error);
    return { uri, suite: nothing, problems: [{ range: whole, message }], rangeOf: () => emptyRange() };
  }
  const rangeOf = rangesIn(text);
  const yaml = readYaml(text);
  if ("problem" in yaml) return { uri, suite: nothing, problems: [yaml.problem], rangeOf };
  const presets = chatSettings.chatPreferences().presets.map(presetOf);
  return { uri, ...parseSuite(yaml.root, presets), rangeOf };
}

async function readSuiteText(uri: vscode.Uri): Promise<string> {
  const open = findOpen(uri);
  const tooLong = (): Error => new Error(vscode.l10n.t("The suite is larger than 2 MB and wasn't read."));
  if (open !== undefined) {
    const text = open.getText();
    if (text.length > longestSuite) throw tooLong();
    return text;
  }
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > longestSuite) throw tooLong();
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

function emptyRange(): vscode.Range {
  return new vscode.Range(0, 0, 0, 1);
}

/** Lines are counted once for all ranges. */
function rangesIn(text: string): (range: SourceRange) => vscode.Range {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
  const position = (offset: number): vscode.Position => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return new vscode.Position(low, offset - (starts[low] ?? 0));
  };
  return ({ start, end }) => new vscode.Range(position(start), position(Math.max(start, end)));
}

/**
 * Reads files that the suite names. Rejects unless a file is in the workspace, wherever its links lead. The user is
 * asked once about all attachments that usually contain secrets or are meant to stay hidden.
 */
export async function suiteFileReader(
  suite: vscode.Uri,
  cases: readonly SuiteCase[],
): Promise<ReadSuiteFile> {
  const attachments = filesOf(cases).attachments.map(({ path }) => uriOf(suite, path));
  const resolved = await Promise.all(attachments.map(resolveFile));
  const inside = resolved.filter(({ isInside }) => isInside).map(({ uri }) => uri);
  const allowed = new Set((await guardFiles(inside, "chosen")).map(({ uri }) => uri.toString()));
  const refused = new Set(inside.map((uri) => uri.toString()).filter((uri) => !allowed.has(uri)));
  return (path) => readSuiteFile(uriOf(suite, path), refused);
}

function uriOf(suite: vscode.Uri, path: string): vscode.Uri {
  return vscode.Uri.joinPath(suite, "..", ...path.split("/"));
}

async function readSuiteFile(requested: vscode.Uri, refused: ReadonlySet<string>): Promise<FileContent> {
  const { uri, real, isInside } = await resolveFile(requested);
  if (!isInside) throw new Error(vscode.l10n.t("It is outside the workspace."));
  if (refused.has(uri.toString())) throw new Error(vscode.l10n.t("You chose not to attach it."));
  refuseLarge((await vscode.workspace.fs.stat(real)).size);
  return fileContent(Buffer.from(await vscode.workspace.fs.readFile(real)));
}

/** The accepted responses, which are in a file next to the suite. */
export async function readAccepted(suite: vscode.Uri): Promise<AcceptedResponses> {
  const uri = acceptedUri(suite);
  const isThere = await exists(uri);
  const text = isThere ? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)) : "";
  const accepted = AcceptedResponses.parse(text);
  if (accepted !== undefined) return accepted;
  const name = vscode.workspace.asRelativePath(uri);
  throw new Error(
    vscode.l10n.t("{0} isn't a file with accepted responses. Correct or delete it, then try again.", name),
  );
}

/** Adds these to the accepted responses. Resolves to whether they were written. */
export async function writeAccepted(
  suite: vscode.Uri,
  responses: readonly AcceptedResponse[],
): Promise<boolean> {
  const accepted = await readAccepted(suite);
  const uri = await passBoundaryForWriting(acceptedUri(suite));
  if (uri === undefined) return false;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(accepted.with(responses).format()));
  return true;
}

function acceptedUri(suite: vscode.Uri): vscode.Uri {
  return suite.with({ path: acceptedPath(suite.path) });
}
