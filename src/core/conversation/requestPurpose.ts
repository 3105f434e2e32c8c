import { t } from "@vscode/l10n";

/**
 * Why a request is sent to a model, with a name for people in their language. Only a `response` becomes a message of its
 * conversation.
 */
const purposes = {
  response: () => t("Response"),
  title: () => t("Conversation title"),
  summary: () => t("Summary"),
  apiRequest: () => t("API request"),
  inlineEdit: () => t("Inline edit"),
  commitMessage: () => t("Commit message"),
  nativeChat: () => t("VS Code chat"),
  participant: () => t("“@gpu” in VS Code chat"),
  extension: () => t("Other extension"),
} as const satisfies Readonly<Record<string, () => string>>;

/** What a request is for. Usage and costs are reported by it. */
export type RequestPurpose = keyof typeof purposes;

/** The purpose of a completion that a conversation shows; also that of requests stored without one. */
export const defaultPurpose: RequestPurpose = "response";

/** A name for people, in their language. */
export function purposeLabel(purpose: RequestPurpose): string {
  return purposes[purpose]();
}

/** A stored purpose. Undefined if this version doesn't know it. */
export function parsePurpose(value: unknown): RequestPurpose | undefined {
  if (value === undefined) return defaultPurpose;
  return typeof value === "string" && isPurpose(value) ? value : undefined;
}

function isPurpose(value: string): value is RequestPurpose {
  return Object.hasOwn(purposes, value);
}
