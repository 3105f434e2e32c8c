import { t } from "@vscode/l10n";
import { formatDate, formatNumber } from "../../core/kernel/formatTime.ts";
import { setAsideDays } from "./setAsideFiles.ts";

/** How a damaged, empty or missing file was replaced. Messages are counted. */
interface Recovery {
  /** Path of the file that was set aside, without the suffix of its log; undefined if nothing was left of it. */
  readonly aside?: string;
  /** What could be read of the file, or was still open in this window. */
  readonly recovered: number;
  /** What was only in the backups, which are named by when they were made (milliseconds since 1970). */
  readonly restored: readonly { readonly madeAt: number; readonly count: number }[];
}

/** What came from where, for the user. */
export function recoverySentence({ aside, recovered, restored }: Recovery): string {
  const kept = [
    ...(aside === undefined && recovered === 0 ? [] : [recoveredSentence(recovered)]),
    ...restored
      .filter(({ count }) => count > 0)
      .map(({ madeAt, count }) => restoredSentence(count, formatDate(madeAt))),
  ].join(" ");
  return aside === undefined
    ? t("The conversation file was missing or empty, so a new one was created. {0}", kept)
    : t(
        "The conversation file was damaged and has been set aside as {0}. {1} The damaged file is deleted after {2} days, because it may contain content that you delete in the meantime.",
        ...[aside, kept, String(setAsideDays)],
      );
}

/** What was added to a file that has taken the place of the one that was open. */
export function replacedSentence(added: number): string {
  return t(
    "The conversation file was replaced by another one while it was in use. {0} messages that were only in the former file have been added to it.",
    formatNumber(added),
  );
}

function recoveredSentence(count: number): string {
  if (count === 0) return t("No messages could be recovered from it.");
  return count === 1
    ? t("1 message was recovered from it.")
    : t("{0} messages were recovered from it.", formatNumber(count));
}

function restoredSentence(count: number, madeAt: string): string {
  return count === 1
    ? t("1 message was restored from the backup of {0}.", madeAt)
    : t("{0} messages were restored from the backup of {1}.", formatNumber(count), madeAt);
}
