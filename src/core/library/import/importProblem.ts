import { t } from "@vscode/l10n";
import { titleForMessages } from "../history/listedTitle.ts";

/**
 * Why nothing of a file was imported.
 * - `unreadable` it doesn't exist, or can't be read.
 * - `notText` neither UTF-8 nor UTF-16.
 * - `notJson` truncated, or not JSON.
 * - `archive` a damaged archive, or one without conversations.
 * - `unknown` JSON, but not in a known format.
 */
export type ImportProblem =
  "unreadable" | "empty" | "tooLarge" | "notText" | "notJson" | "archive" | "unknown";

/** @param file The file name without its folder. */
export function problemMessage(file: string, problem: ImportProblem): string {
  const name = titleForMessages(file);
  switch (problem) {
    case "unreadable":
      return t("“{0}” can't be read.", name);
    case "empty":
      return t("“{0}” is empty.", name);
    case "tooLarge":
      return t("“{0}” is too large to import at once.", name);
    case "notText":
      return t("“{0}” isn't UTF-8 or UTF-16 text.", name);
    case "notJson":
      return t("“{0}” isn't JSON, or is truncated.", name);
    case "archive":
      return t("“{0}” is damaged or contains no conversations in a supported format.", name);
    case "unknown":
      return t("“{0}” contains no conversations in a supported format.", name);
  }
}
