import { t } from "@vscode/l10n";
import type { Omission } from "../../conversation/tooLong.ts";
import { formatNumber } from "../../kernel/formatNumber.ts";

/** Says what a request was sent without. */
export function omissionMessage(omission: Omission, locale?: string): string {
  const { turns, files, pictures = 0 } = omission;
  const unseen =
    pictures === 0
      ? []
      : [t("{0} tool images were left out because the model may not support image input.", pictures)];
  return [...(turns + files === 0 ? [] : [unfitText(omission, locale)]), ...unseen].join(" ");
}

function unfitText({ turns, files, tokens }: Omission, locale: string | undefined): string {
  const about = formatNumber(tokens, locale);
  if (files === 0)
    return t(
      "To fit the context window, the {0} oldest turns (about {1} tokens) were left out.",
      turns,
      about,
    );
  if (turns === 0)
    return t(
      "To fit the context window, {0} files of earlier turns (about {1} tokens) were left out.",
      files,
      about,
    );
  return t(
    "To fit the context window, {0} files and the {1} oldest turns (about {2} tokens) were left out.",
    files,
    turns,
    about,
  );
}
