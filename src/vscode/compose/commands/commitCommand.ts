import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { refusal } from "../context/choice.ts";
import { findRepositories } from "../context/git.ts";
import type { GitRepository } from "../context/git.ts";
import { readStaged } from "../context/gitChoices.ts";
import type { CommitOffers } from "./commitOffers.ts";
import { showQuickPick } from "../../shell/window.ts";
import { noIcons } from "../../../core/kernel/noIcons.ts";

/** The staged changes with the wish for a commit message; its answer is offered to Source Control. */
export async function composeCommit(
  instruction: string,
  session: ChatSession,
  offers: CommitOffers,
): Promise<Composition> {
  const repositories = await findRepositories();
  if (repositories.length === 0)
    return refusal(vscode.l10n.t("There is no Git repository in this workspace."));
  const staged = repositories.filter(({ stagedCount }) => stagedCount !== 0);
  const repository = await pickRepository(staged);
  if (repository === undefined) {
    return staged.length > 1
      ? { text: "", parts: [] }
      : refusal(vscode.l10n.t("Nothing is staged. Stage the changes that belong to the commit first."));
  }
  const part = await readStaged(repository);
  if (typeof part === "string") return refusal(part);
  offers.expect(session, part, repository);
  return { text: instruction, parts: [part] };
}

async function pickRepository(repositories: readonly GitRepository[]): Promise<GitRepository | undefined> {
  if (repositories.length < 2) return repositories[0];
  const items = repositories.map((repository) => ({ label: noIcons(repository.name), repository }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Select the repository for the commit message"),
  });
  return picked?.repository;
}
