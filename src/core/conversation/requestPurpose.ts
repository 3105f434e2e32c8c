import { t } from "@vscode/l10n";

/** Why a request is sent to a model. Only a `response` becomes a message of its conversation. */
const labels = {
  response: () => t("Response"),
  title: () => t("Conversation title"),
  summary: () => t("Summary"),
} as const;

export type RequestPurpose = keyof typeof labels;

/** The purpose of a completion that a conversation shows; also that of requests stored without one. */
export const defaultPurpose: RequestPurpose = "response";

/** The purposes of the requests that a conversation doesn't show. */
export const hiddenPurposes: readonly RequestPurpose[] = Object.keys(labels)
  .filter(isPurpose)
  .filter((purpose) => purpose !== defaultPurpose);

/** A name for people, in their language. */
export function purposeLabel(purpose: RequestPurpose): string {
  return labels[purpose]();
}

/** A stored purpose. Undefined if this version doesn't know it. */
export function parsePurpose(value: unknown): RequestPurpose | undefined {
  if (value === undefined) return defaultPurpose;
  return typeof value === "string" && isPurpose(value) ? value : undefined;
}

function isPurpose(value: string): value is RequestPurpose {
  return Object.hasOwn(labels, value);
}
