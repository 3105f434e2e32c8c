import { t } from "@vscode/l10n";
import type { IconName } from "../../kernel/iconNames.ts";
import { isRecord } from "../../kernel/json.ts";
import type { BudgetExcess } from "../../responses/usage/budget.ts";
import { formatNumber } from "../../kernel/formatNumber.ts";
import { formatCost } from "../../conversation/prices.ts";
import { selectModelLabel } from "../attachments/modalities.ts";
import type { ModalityWarning } from "../attachments/modalities.ts";
import { shortenSecret } from "./secretFinding.ts";
import type { SecretFinding } from "./secretFinding.ts";

const choices = ["mask", "send", "dropOldest", "dropFiles", "selectModel", "cancel"] as const;

/** What the user may do with a message that is held. */
export type SendChoice = (typeof choices)[number];

interface HoldFacts {
  readonly icon: IconName;
  /** Sending it as it is takes a dialog of VS Code: a page could press its own button. */
  readonly isConfirmedInDialog: boolean;
}

/** For what a message is held. */
export const holdReasons = {
  secrets: { icon: "shield", isConfirmedInDialog: true },
  modality: { icon: "warning", isConfirmedInDialog: false },
  tooLong: { icon: "warning", isConfirmedInDialog: false },
  budget: { icon: "warning", isConfirmedInDialog: true },
} as const satisfies Readonly<Record<string, HoldFacts>>;

/** Why a message is held, for the user to decide. Nothing has been sent. */
export interface SendQuestion {
  readonly kind: keyof typeof holdReasons;
  readonly message: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** The first one is what most want. */
  readonly choices: readonly { readonly id: SendChoice; readonly label: string }[];
}

/** How a message is too long for its model. */
export interface TooLong {
  /** Tokens, about. */
  readonly excess: number;
  /** The tokens by parts. */
  readonly rows: SendQuestion["facts"];
  readonly hasFiles: boolean;
}

export function tooLongQuestion(
  { excess, rows, hasFiles }: TooLong,
  locale: string | undefined,
): SendQuestion {
  const files = { id: "dropFiles", label: t("Leave Out Files First") } as const;
  return {
    kind: "tooLong",
    message: t(
      "This exceeds the model's context window by about {0} tokens. Nothing has been sent yet. What should be left out, now and later in this conversation?",
      formatNumber(excess, locale),
    ),
    facts: rows,
    choices: [
      { id: "dropOldest", label: t("Leave Out the Oldest Turns") },
      ...(hasFiles ? [files] : []),
      { id: "send", label: t("Send Everything") },
      { id: "cancel", label: t("Cancel") },
    ],
  };
}

/** About attachments that the model doesn't support. */
export function modalityQuestion({ message, hasAlternative }: ModalityWarning): SendQuestion {
  return {
    kind: "modality",
    message,
    facts: [],
    choices: [
      { id: "selectModel", label: selectModelLabel(hasAlternative) },
      { id: "send", label: t("Send Anyway") },
      { id: "cancel", label: t("Cancel") },
    ],
  };
}

/** A secret with the place where it was found. */
export interface LocatedFinding extends SecretFinding {
  readonly location: string;
}

export function secretsQuestion(findings: readonly LocatedFinding[]): SendQuestion {
  return {
    kind: "secrets",
    message:
      findings.length === 1
        ? t("This message appears to contain a secret. Nothing has been sent yet.")
        : t("This message appears to contain {0} secrets. Nothing has been sent yet.", findings.length),
    facts: findings.map((finding) => ({
      label: finding.kind,
      value: t("{0} in {1}", shortenSecret(finding.value), finding.location),
    })),
    choices: [
      { id: "mask", label: t("Mask and Send") },
      { id: "send", label: t("Send Anyway") },
      { id: "cancel", label: t("Cancel") },
    ],
  };
}

/** About secrets in what goes along with a message: earlier messages, results of tools, the system prompt, parameters. */
export function requestQuestion(findings: readonly LocatedFinding[]): SendQuestion {
  return {
    ...secretsQuestion(findings),
    message: t(
      "The request contains what looks like a secret in {0}. Nothing has been sent yet.",
      [...new Set(findings.map(({ location }) => location))].join(", "),
    ),
  };
}

/** About secrets in what a tool has given. */
export function resultQuestion(findings: readonly SecretFinding[], tool: string): SendQuestion {
  return {
    kind: "secrets",
    message: t("The result of “{0}” appears to contain secrets. It hasn't been sent to the model yet.", tool),
    facts: findings.map(({ kind, value }) => ({ label: kind, value: shortenSecret(value) })),
    choices: [
      { id: "mask", label: t("Mask and Send") },
      { id: "send", label: t("Send Anyway") },
      { id: "cancel", label: t("Don't Send the Result") },
    ],
  };
}

export function budgetQuestion(excess: BudgetExcess, locale: string | undefined): SendQuestion {
  const spent = formatCost(excess.spent, locale);
  const limit = formatCost(excess.limit, locale);
  return {
    kind: "budget",
    message:
      excess.period === "day"
        ? t("Today's budget is used up: {0} of {1}. Nothing has been sent yet.", spent, limit)
        : t("This month's budget is used up: {0} of {1}. Nothing has been sent yet.", spent, limit),
    facts: [],
    choices: [
      { id: "send", label: t("Send Anyway") },
      { id: "cancel", label: t("Cancel") },
    ],
  };
}

/** What the page responds: `questionId` tells to which question. */
export interface SendAnswer {
  readonly type: "answerSend";
  readonly questionId: number;
  readonly choice: SendChoice;
}

/** A message that waits for the user's decision, as the page shows it. */
export interface HeldMessage {
  readonly questionId: number;
  readonly question: SendQuestion;
  /** It stands in the composer, to be changed, where it came from there. */
  readonly isFromComposer: boolean;
}

/** `restore`: what the page sent could not be sent, an empty composer gets it back. `clear`: it was sent from there. */
export type ComposerEffect = "restore" | "clear";

/** Host to page: all there is to know about what was to be sent. Each one replaces the one before. */
export interface SendState {
  readonly type: "sendState";
  readonly held?: HeldMessage;
  readonly composer?: ComposerEffect;
}

/** Checks what comes from the page; undefined for anything else. */
export function parseSendAnswer(value: unknown): SendAnswer | undefined {
  if (!isRecord(value) || value["type"] !== "answerSend") return undefined;
  const { questionId } = value;
  const choice = choices.find((known) => known === value["choice"]);
  if (typeof questionId !== "number" || choice === undefined) return undefined;
  return { type: "answerSend", questionId, choice };
}
