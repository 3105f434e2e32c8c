import { t } from "@vscode/l10n";
import { isRecord } from "../../kernel/json.ts";
import type { ResponseCheck, SchemaValidator, SchemaVerdict } from "./responseCheck.ts";
import { responseJson } from "./responseCheck.ts";
import { describeProblem } from "./problemText.ts";
import type { ResponseFormat } from "./responseFormat.ts";

/** Checks whether a response conforms to its format. */
export async function checkResponse(
  text: string,
  format: ResponseFormat,
  validator: SchemaValidator,
): Promise<ResponseCheck> {
  const response = responseJson(text);
  if (response.state === "notJson") return response;
  if (format.type === "jsonSchema") {
    return describeVerdict(await validator.validate(format.schema, response.json));
  }
  if (isRecord(response.value)) return { state: "valid", hasSchema: false };
  return { state: "invalid", problems: [{ path: "", message: t("must be a JSON object") }], more: 0 };
}

function describeVerdict(verdict: SchemaVerdict): ResponseCheck {
  switch (verdict.state) {
    case "valid":
      return { state: "valid", hasSchema: true };
    case "partlyValid":
      return {
        state: "unchecked",
        message: t(
          "The response matches the schema, except that the pattern {0} can't be checked.",
          verdict.pattern,
        ),
      };
    case "invalid":
      return { ...verdict, problems: verdict.problems.map(describeProblem) };
    case "badSchema":
      return { state: "unchecked", message: t("The schema can't be used: {0}", verdict.message) };
    case "tooLong":
      return {
        state: "unchecked",
        message: t("Schema validation timed out. One of its patterns may be the cause."),
      };
  }
}
