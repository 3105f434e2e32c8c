import { t } from "@vscode/l10n";
import type { ContentPart } from "../../conversation/completion.ts";
import { maskSecrets } from "./secretFinding.ts";
import type { SecretFinding } from "./secretFinding.ts";

/** What a user is about to send. */
export interface Outgoing {
  readonly text: string;
  readonly attachments: readonly ContentPart[];
}

/** One text that goes out, and where it stands for the user. */
export interface OutgoingText {
  readonly location: string;
  readonly text: string;
}

/** All texts of a message, with the system prompt that goes with it. */
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
    text: maskSecrets(text, findings),
    attachments: attachments.map((part) =>
      part.type === "text" ? { ...part, text: maskSecrets(part.text, findings) } : part,
    ),
  };
}
