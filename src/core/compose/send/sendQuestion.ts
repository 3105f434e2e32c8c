import { t } from "@vscode/l10n";
import type { IconName } from "../../kernel/iconNames.ts";
import { budgetSentence } from "../../conversation/budget.ts";
import type { BudgetExcess } from "../../conversation/budget.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { selectModelLabel } from "../attachments/modalities.ts";
import type { ModalityWarning } from "../attachments/modalities.ts";
import type { Draft } from "../../conversation/conversationStore.ts";
import type { QueueView } from "./queueSender.ts";
import { shortenSecret } from "./secretFinding.ts";
import type { SecretFinding } from "../../account/secrets/secretValue.ts";

/** The user's choices for a message that is held. */
export const sendChoices = ["mask", "send", "dropOldest", "dropFiles", "selectModel", "cancel"] as const;

/** A choice for a message that is held. */
export type SendChoice = (typeof sendChoices)[number];

interface HoldFacts {
  readonly icon: IconName;
  /** Sending it as it is must be confirmed in a VS Code dialog, because a page could press its own button. */
  readonly isConfirmedInDialog: boolean;
  /** It is withdrawn when the user selects another model; the message stays where it was written. */
  readonly isAboutModel: boolean;
}

/** The reasons for which a message can be held. */
export const holdReasons = {
  secrets: { icon: "shield", isConfirmedInDialog: true, isAboutModel: false },
  modality: { icon: "warning", isConfirmedInDialog: false, isAboutModel: true },
  tooLong: { icon: "warning", isConfirmedInDialog: false, isAboutModel: true },
  budget: { icon: "warning", isConfirmedInDialog: true, isAboutModel: false },
} as const satisfies Readonly<Record<string, HoldFacts>>;

/** The question for the user about a message that is held. Nothing has been sent. */
export interface SendQuestion {
  readonly kind: keyof typeof holdReasons;
  readonly message: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** The first choice is the one that most users want. */
  readonly choices: readonly { readonly id: SendChoice; readonly label: string }[];
}

/** How a message exceeds its model's context window. */
export interface TooLong {
  /** Approximate tokens. */
  readonly excess: number;
  /** The tokens of each part. */
  readonly rows: SendQuestion["facts"];
  readonly hasFiles: boolean;
}

/** The question about a request that exceeds the model's context window. */
export function tooLongQuestion(
  { excess, rows, hasFiles }: TooLong,
  locale: string | undefined,
): SendQuestion {
  const files = { id: "dropFiles", label: t("Leave Out Files First") } as const;
  return {
    kind: "tooLong",
    message: t(
      "The request exceeds the model's context window by about {0} tokens. Nothing has been sent yet. What should be left out, now and later in this conversation?",
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
export function modalityQuestion({ message, modalities, hasAlternative }: ModalityWarning): SendQuestion {
  const [modality, other] = modalities;
  const label = modality === "audio" ? t("Send Without Audio") : t("Send Without Images");
  return {
    kind: "modality",
    message,
    facts: [],
    choices: [
      { id: "selectModel", label: selectModelLabel(hasAlternative) },
      { id: "send", label: other === undefined ? label : t("Send Only the Text") },
      { id: "cancel", label: t("Cancel") },
    ],
  };
}

/** A secret with the location where it was found. */
export interface LocatedFinding extends SecretFinding {
  readonly location: string;
}

/** The question about what looks like secrets in a request. */
export function secretsQuestion(findings: readonly LocatedFinding[]): SendQuestion {
  return {
    kind: "secrets",
    message:
      findings.length === 1
        ? t("This message appears to contain a secret. Nothing has been sent yet.")
        : t(
            "This message appears to contain {0} secrets. Nothing has been sent yet.",
            formatNumber(findings.length),
          ),
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

/**
 * Asks about secrets in what is sent along with a message: earlier messages, tool results, the system prompt and
 * parameters.
 */
export function requestQuestion(findings: readonly LocatedFinding[]): SendQuestion {
  return {
    ...secretsQuestion(findings),
    message: t(
      "The request contains what looks like a secret in {0}. Nothing has been sent yet.",
      [...new Set(findings.map(({ location }) => location))].join(", "),
    ),
  };
}

/** Asks about secrets in the result of a tool. */
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

/** The question about a request that exceeds the budget. */
export function budgetQuestion(excess: BudgetExcess, locale: string | undefined): SendQuestion {
  return {
    kind: "budget",
    message: budgetSentence(excess, locale),
    facts: [],
    choices: [
      { id: "send", label: t("Send Anyway") },
      { id: "cancel", label: t("Cancel") },
    ],
  };
}

/** A message that is waiting for the user's decision, as shown in the page. */
export interface HeldMessage {
  readonly questionId: number;
  readonly question: SendQuestion;
  /** Whether the message came from the composer, where it can be changed. */
  readonly isFromComposer: boolean;
}

/**
 * `restore`: the message couldn't be sent, so it returns to the composer, in front of what is there. `clear`: the message
 * was sent from the composer.
 */
export type ComposerEffect = "restore" | "clear";

/** Host to page: the complete state of the message to be sent. Each one replaces the previous one. */
export interface SendState {
  readonly type: "sendState";
  readonly held?: HeldMessage;
  readonly queue?: QueueView;
  readonly composer?: ComposerEffect;
  /** What returns to the composer, because the page may be another one than that which sent it. */
  readonly restored?: Draft;
}

/** Where a message is sent from; undefined if a response to the existing messages is requested. */
export type Origin = "composer" | "edit" | "compare" | "queue" | undefined;

/** Origins of messages that the user sends right now. */
export type DirectOrigin = Exclude<Origin, "queue" | undefined>;

interface Outcome {
  readonly isSent: boolean;
  /** Whether the composer got the message back while the question was open. */
  readonly wasHeld: boolean;
  readonly hasPassed: boolean;
}

/** The page clears the composer when it sends a message itself, but not for a message to several models. */
export function composerEffect(
  origin: DirectOrigin,
  { isSent, wasHeld, hasPassed }: Outcome,
): ComposerEffect | undefined {
  if (isSent) return origin === "compare" || (origin === "composer" && wasHeld) ? "clear" : undefined;
  // A held message is in the composer, where the user may have changed it since.
  if (origin === "composer") return hasPassed && !wasHeld ? "restore" : undefined;
  return origin === "edit" ? "restore" : undefined;
}
