import { t } from "@vscode/l10n";

interface PurposeFacts {
  /** A name for people, in their language. */
  readonly label: () => string;
  /** Whether it belongs to one of our conversations. */
  readonly isOfConversation: boolean;
}

/** Why a request is sent to a model. Only a `response` becomes a message of its conversation. */
const purposes = {
  response: { label: () => t("Response"), isOfConversation: true },
  title: { label: () => t("Conversation title"), isOfConversation: true },
  summary: { label: () => t("Summary"), isOfConversation: true },
  apiRequest: { label: () => t("API request"), isOfConversation: false },
  inlineEdit: { label: () => t("Inline edit"), isOfConversation: false },
  commitMessage: { label: () => t("Commit message"), isOfConversation: false },
  nativeChat: { label: () => t("VS Code chat"), isOfConversation: false },
  participant: { label: () => t("“@gpu” in VS Code chat"), isOfConversation: false },
  replay: { label: () => t("Request sent again"), isOfConversation: false },
  extension: { label: () => t("Other extension"), isOfConversation: false },
} as const satisfies Readonly<Record<string, PurposeFacts>>;

/** What a request is for. Usage and costs are reported by it. */
export type RequestPurpose = keyof typeof purposes;

/** The purpose of a completion that a conversation shows; also that of requests stored without one. */
export const defaultPurpose: RequestPurpose = "response";

/** Whether such a request belongs to one of our conversations. */
export function isOfConversation(purpose: RequestPurpose): boolean {
  return purposes[purpose].isOfConversation;
}

/** A name for people, in their language. */
export function purposeLabel(purpose: RequestPurpose): string {
  return purposes[purpose].label();
}

/** A stored purpose. Undefined if this version doesn't know it. */
export function parsePurpose(value: unknown): RequestPurpose | undefined {
  if (value === undefined) return defaultPurpose;
  return typeof value === "string" && isPurpose(value) ? value : undefined;
}

function isPurpose(value: string): value is RequestPurpose {
  return Object.hasOwn(purposes, value);
}
