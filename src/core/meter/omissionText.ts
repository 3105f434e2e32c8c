import { t } from "@vscode/l10n";
import type { Omission } from "../tooLong.ts";
import { formatNumber } from "../usage/formatNumber.ts";

/** Says what a request was sent without. */
export function omissionText({ turns, files, tokens }: Omission, locale?: string): string {
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
