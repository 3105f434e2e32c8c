import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import { formatCost } from "../../core/conversation/prices.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { budgetSentence, findExcess } from "../../core/conversation/budget.ts";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import { estimateRun } from "../../core/suites/suite.ts";
import type { RunEstimate, SuiteCell } from "../../core/suites/suite.ts";
import type { InferenceClient } from "../../gateway/completion/inferenceClient.ts";
import type { ModelMemory } from "../account/modelMemory.ts";
import { chooseInferenceProfile } from "../account/profiles/chooseProfile.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import type { Clients } from "../shell/clientFactory.ts";
import { readPositive } from "../shell/settings.ts";
import { confirmRisk, showErrorMessage, showQuickPick, withProgress } from "../shell/window.ts";

/** What the questions before a run are answered from. */
export interface RunChoicesContext {
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly models: ModelMemory;
  ledger(): Promise<Pick<Ledger, "spent">>;
}

/** What can be chosen from. */
interface TargetChoices {
  readonly profiles: Pick<Profiles, "all" | "active">;
  readonly clients: { inference(profile: Profile): Promise<Pick<InferenceClient, "listModels">> };
  readonly models: Pick<ModelMemory, "read" | "typed">;
}

/** Asks for the profile and the models to run with; undefined if the user cancels. */
export async function chooseTarget(
  context: TargetChoices,
): Promise<{ readonly profile: Profile; readonly models: readonly string[] } | undefined> {
  const profile = await chooseInferenceProfile(context.profiles, vscode.l10n.t("Run With…"));
  if (profile === undefined) return undefined;
  const abort = new AbortController();
  const client = await context.clients.inference(profile);
  const listed = await withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Loading models…") },
    () => client.listModels(abort.signal).catch(() => []),
  );
  const last = context.models.read(profile.name);
  const ids = [...new Set([...listed.map(({ id }) => id), ...context.models.typed(profile.name)])];
  const picked = await showQuickPick(
    ids.map((id) => ({ label: escapeCodicons(id), id, picked: id === last })),
    {
      canPickMany: true,
      title: vscode.l10n.t("Run With…"),
      placeHolder: vscode.l10n.t("Select the models to run every case with"),
    },
  );
  if (picked === undefined || picked.length === 0) return undefined;
  return { profile, models: picked.map(({ id }) => id) };
}

/**
 * Whether the run may be sent. The user confirms a large run, one that exceeds the budget, and one from a workspace
 * that isn't trusted.
 */
export async function confirmRun(context: RunChoicesContext, cells: readonly SuiteCell[]): Promise<boolean> {
  const estimate = estimateRun(cells, chatSettings.chatPreferences().prices);
  const budget = await readBudget(context, estimate);
  if (budget.isUsedUp) {
    // Not awaited, because a notification may stay unnoticed for as long as the window is open.
    void showErrorMessage(budget.sentence);
    return false;
  }
  const total = estimate.requests + estimate.judgments;
  if (
    total <= readPositive("promptSuites.confirmAbove", 50) &&
    budget.sentence === "" &&
    vscode.workspace.isTrusted
  )
    return true;
  const number = (value: number): string => formatNumber(value, vscode.env.language);
  const costs = estimate.costs.map((cost) => formatCost(cost, vscode.env.language)).join(" + ");
  return confirmRisk({
    question:
      total === 1 ? vscode.l10n.t("Send one request?") : vscode.l10n.t("Send {0} requests?", number(total)),
    detail: [
      ...(vscode.workspace.isTrusted
        ? []
        : [
            vscode.l10n.t(
              "You haven't trusted this workspace. Its suites determine which prompts and files are sent, and to which profile and models.",
            ),
          ]),
      ...(costs === "" ? [] : [vscode.l10n.t("They cost about {0}.", costs)]),
      ...(estimate.unpriced === 0
        ? []
        : [vscode.l10n.t("Requests without a known price: {0}.", number(estimate.unpriced))]),
      ...(estimate.judgments === 0
        ? []
        : [vscode.l10n.t("{0} of them ask a model to judge a response.", number(estimate.judgments))]),
      ...(budget.sentence === "" ? [] : [budget.sentence]),
    ].join("\n"),
    accept: vscode.l10n.t("Run"),
    decline: vscode.l10n.t("Don't Run"),
    isExpected: true,
  });
}

/** Each request is checked against the budget when it is sent; this warns before the first one. */
async function readBudget(
  { ledger }: RunChoicesContext,
  { costs }: RunEstimate,
): Promise<{ readonly isUsedUp: boolean; readonly sentence: string }> {
  const budget = chatSettings.budget();
  if (budget === undefined) return { isUsedUp: false, sentence: "" };
  const spent = await (await ledger()).spent();
  const cost = costs.find(({ currency }) => currency === budget.currency);
  const excess = findExcess(budget, spent, cost);
  if (excess === undefined) return { isUsedUp: false, sentence: "" };
  if (excess.least === undefined)
    return { isUsedUp: true, sentence: budgetSentence(excess, vscode.env.language) };
  return {
    isUsedUp: false,
    sentence: vscode.l10n.t("That exceeds your remaining budget. The run ends when the budget is used up."),
  };
}
