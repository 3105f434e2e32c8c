import { t } from "@vscode/l10n";
import type { Omission } from "../../conversation/tooLong.ts";
import { formatNumber } from "../../kernel/formatNumber.ts";

/** Says what a request was sent without. */
export function omissionText(omission: Omission, locale?: string): string {
  const { turns, files, pictures = 0 } = omission;
  const unseen =
    pictures === 0
      ? []
      : [t("Sent without the pictures of tools ({0}): the model is not known to see pictures.", pictures)];
  return [...(turns + files === 0 ? [] : [unfitText(omission, locale)]), ...unseen].join(" ");
}

function unfitText({ turns, files, tokens }: Omission, locale: string | undefined): string {
  const about = formatNumber(tokens, locale);
  if (files === 0)
    return t("Sent without the oldest turns ({0}, about {1} tokens): they did not fit.", turns, about);
  if (turns === 0)
    return t("Sent without files of earlier turns ({0}, about {1} tokens): they did not fit.", files, about);
  return t(
    "Sent without files of earlier turns ({0}) and the oldest turns ({1}), about {2} tokens: they did not fit.",
    files,
    turns,
    about,
  );
}
