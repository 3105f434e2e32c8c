import { t } from "@vscode/l10n";
import type { ResponseCheck } from "./responseCheck.ts";

/** What the model is told of its mistakes; undefined where it made none. */
export function retryPrompt(check: ResponseCheck): string | undefined {
  if (check.state === "notJson") {
    const again = t("Answer again with nothing but JSON: no sentence around it and no code fence.");
    return `${t("Your answer is not valid JSON: {0}", check.message)}\n\n${again}`;
  }
  if (check.state !== "invalid") return undefined;
  const lines = check.problems.map(
    ({ path, message }) => `- ${path === "" ? t("Raw value") : `\`${path}\``}: ${message}`,
  );
  const more = check.more > 0 ? [`- ${t("and {0} more", check.more)}`] : [];
  return [
    t("Your answer does not match the JSON Schema:"),
    "",
    ...lines,
    ...more,
    "",
    t("Answer again with nothing but JSON that matches the schema."),
  ].join("\n");
}
