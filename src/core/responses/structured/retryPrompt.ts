import { t } from "@vscode/l10n";
import type { ResponseCheck } from "./responseCheck.ts";

/** The errors that are reported to the model. Undefined if there are none. */
export function retryPrompt(check: ResponseCheck): string | undefined {
  if (check.state === "notJson") {
    const again = t("Respond again with only JSON, without surrounding text or a code fence.");
    return `${t("Your response isn't valid JSON: {0}", check.message)}\n\n${again}`;
  }
  if (check.state !== "invalid") return undefined;
  const lines = check.problems.map(
    ({ path, message }) => `- ${path === "" ? t("Raw value") : `\`${path}\``}: ${message}`,
  );
  const more = check.more > 0 ? [`- ${t("and {0} more", check.more)}`] : [];
  return [
    t("Your response doesn't match the JSON Schema:"),
    "",
    ...lines,
    ...more,
    "",
    t("Respond again with only JSON that matches the schema."),
  ].join("\n");
}
