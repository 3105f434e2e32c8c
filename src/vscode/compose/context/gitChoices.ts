import * as vscode from "vscode";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { diffPart } from "../../../core/compose/context/contextPart.ts";
import type { GitChanges } from "../../../core/compose/context/contextPart.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { maxTextBytes } from "../../../core/compose/context/pastedText.ts";
import type { Choice } from "./choice.ts";
import { refusal } from "./choice.ts";
import { findRepositories, noRepository } from "./git.ts";
import type { GitRepository } from "./gitCommands.ts";
import { guardDiff } from "./ignoreFiles.ts";

/** One row for each repository. */
export async function gitChoices(label: string): Promise<readonly Choice[]> {
  const repositories = await findRepositories();
  if (repositories.length > 0) return repositories.map((repository) => gitChoice(label, repository));
  return [{ suggestion: { label, detail: noRepository(), icon: "git-compare", isUnavailable: true } }];
}

function gitChoice(label: string, repository: GitRepository): Choice {
  const { name, stagedCount, changedCount } = repository;
  const isKnown = stagedCount !== undefined && changedCount !== undefined;
  const detail = isKnown
    ? vscode.l10n.t("{0}: {1} staged, {2} not staged", name, stagedCount, changedCount)
    : name;
  const isUnavailable = isKnown && stagedCount + changedCount === 0;
  const suggestion = { label, detail, icon: "git-compare", isUnavailable } as const;
  return isUnavailable ? { suggestion } : { suggestion, pick: () => attachChanges(repository) };
}

async function attachChanges(repository: GitRepository): Promise<Composition> {
  const part = await readDiff(repository, await readChanges(repository));
  if (typeof part === "string") return refusal(part);
  return { text: "", parts: [part] };
}

/** Only the staged changes. A sentence if there are none. */
export async function readStaged(repository: GitRepository): Promise<TextPart | string> {
  const changes = await readChanges(repository);
  if (typeof changes === "string") return changes;
  const { staged } = changes;
  if (!staged) return vscode.l10n.t("Nothing is staged in {0}.", repository.name);
  return await readDiff(repository, { staged });
}

async function readChanges(repository: GitRepository): Promise<GitChanges | string> {
  try {
    return await repository.readChanges();
  } catch {
    return vscode.l10n.t("Git couldn't read the changes in {0}.", repository.name);
  }
}

async function readDiff({ name }: GitRepository, changes: GitChanges | string): Promise<TextPart | string> {
  if (typeof changes === "string") return changes;
  const staged = await guardDiff(changes.staged ?? "");
  const unstaged = staged === undefined ? undefined : await guardDiff(changes.unstaged ?? "");
  const isLeftOut = !staged && !unstaged && Boolean(changes.staged || changes.unstaged);
  if (staged === undefined || unstaged === undefined || isLeftOut)
    return vscode.l10n.t("The changes in {0} weren't attached.", name);
  const part = diffPart(name, { staged, unstaged });
  if (part === undefined) {
    return vscode.l10n.t(
      "Git has no diff for {0}: the changed files are untracked. Stage them, or attach the files.",
      name,
    );
  }
  if (part.text.length <= maxTextBytes) return part;
  return vscode.l10n.t("The diff of {0} is larger than 1 MB. Attach the relevant files instead.", name);
}
