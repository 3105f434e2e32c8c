import type { ErrorBody } from "./errorBody.ts";
import { parseErrorJson } from "./errorJson.ts";
import { parseHtmlError, parseXmlError } from "./errorMarkup.ts";

/** Reads any body: JSON of any shape, JSON in a string, XML, an HTML page or plain text. */
export function parseErrorText(text: string): ErrorBody {
  const body = text.replace(/^\ufeff/, "").trim();
  if (body === "") return {};
  if (body.startsWith("<")) return parseXmlError(body) ?? parseHtmlError(body);
  return parseErrorJson(body) ?? { message: body };
}
