import { t } from "@vscode/l10n";
import type { RawProblem, ResponseCheck, SchemaProblem } from "./responseCheck.ts";
import { formatNumber } from "../../kernel/formatTime.ts";

/** Describes a problem in words; a keyword without our own description uses the validator's. */
export function describeProblem({ path, keyword, detail, message }: RawProblem): SchemaProblem {
  const words = wordsOf(keyword, detail);
  return { path, message: words ?? message };
}

function wordsOf(keyword: string, detail: string): string | undefined {
  return ofAnyValue(keyword, detail) ?? ofObjects(keyword, detail) ?? ofSizes(keyword, detail);
}

function ofAnyValue(keyword: string, detail: string): string | undefined {
  switch (keyword) {
    case "type":
      return t("must be of type {0}", detail);
    case "enum":
      return t("must be one of {0}", detail);
    case "const":
      return t("must be {0}", detail);
    case "anyOf":
      return t("must match at least one of the schemas of “anyOf”");
    case "oneOf":
      return t("must match exactly one of the schemas of “oneOf”");
    case "not":
      return t("must not match the schema of “not”");
    case "false schema":
      return t("isn't allowed by the schema");
    default:
      return undefined;
  }
}

function ofObjects(keyword: string, detail: string): string | undefined {
  switch (keyword) {
    case "required":
      return t("missing property “{0}”", detail);
    case "additionalProperties":
    case "unevaluatedProperties":
      return t("property “{0}” isn't allowed", detail);
    case "minProperties":
      return detail === "1"
        ? t("must have at least 1 property")
        : t("must have at least {0} properties", detail);
    case "maxProperties":
      return detail === "1"
        ? t("must have at most 1 property")
        : t("must have at most {0} properties", detail);
    default:
      return undefined;
  }
}

function ofSizes(keyword: string, detail: string): string | undefined {
  switch (keyword) {
    case "minimum":
      return t("must be at least {0}", detail);
    case "maximum":
      return t("must be at most {0}", detail);
    case "exclusiveMinimum":
      return t("must be greater than {0}", detail);
    case "exclusiveMaximum":
      return t("must be less than {0}", detail);
    case "multipleOf":
      return t("must be a multiple of {0}", detail);
    case "minLength":
      return detail === "1"
        ? t("must have at least 1 character")
        : t("must have at least {0} characters", detail);
    case "maxLength":
      return detail === "1"
        ? t("must have at most 1 character")
        : t("must have at most {0} characters", detail);
    case "minItems":
      return detail === "1" ? t("must have at least 1 item") : t("must have at least {0} items", detail);
    case "maxItems":
      return detail === "1" ? t("must have at most 1 item") : t("must have at most {0} items", detail);
    case "uniqueItems":
      return t("must not contain duplicate items");
    case "pattern":
      return t("must match the pattern {0}", detail);
    default:
      return undefined;
  }
}

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
  const more = check.more > 0 ? [`- ${t("and {0} more", formatNumber(check.more))}`] : [];
  return [
    t("Your response doesn't match the JSON Schema:"),
    "",
    ...lines,
    ...more,
    "",
    t("Respond again with only JSON that matches the schema."),
  ].join("\n");
}
