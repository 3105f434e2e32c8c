import { t } from "@vscode/l10n";
import type { ContentPart } from "../../conversation/completion.ts";
import { maskFindings } from "./secretFinding.ts";
import type { SecretFinding } from "../../account/secrets/secretValue.ts";

/** What a user is about to send. */
export interface Outgoing {
  readonly text: string;
  readonly attachments: readonly ContentPart[];
}

/** One outgoing text, and where the user finds it. */
interface OutgoingText {
  readonly location: string;
  readonly text: string;
}

/** All texts of a message, along with its system prompt. */
export function outgoingTexts(
  { text, attachments }: Outgoing,
  systemPrompt: string | undefined,
): readonly OutgoingText[] {
  const files = attachments.flatMap((part) =>
    part.type === "text" ? [{ location: part.title ?? t("an attachment"), text: part.text }] : [],
  );
  return [
    { location: t("your message"), text },
    ...files,
    ...(systemPrompt === undefined ? [] : [{ location: t("the system prompt"), text: systemPrompt }]),
  ];
}

/** The message with a placeholder for each secret. */
export function maskOutgoing({ text, attachments }: Outgoing, findings: readonly SecretFinding[]): Outgoing {
  return {
    text: maskFindings(text, findings),
    attachments: attachments.map((part) =>
      part.type === "text" ? { ...part, text: maskFindings(part.text, findings) } : part,
    ),
  };
}
