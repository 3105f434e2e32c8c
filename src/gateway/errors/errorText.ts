import type { ErrorBody } from "./errorBody.ts";
import { parseErrorJson } from "./errorJson.ts";
import { parseHtmlError, parseXmlError, withoutTags } from "./errorMarkup.ts";

/** Reads any body: JSON of any shape, JSON in a string, XML, an HTML page or plain text. */
export function parseErrorText(text: string): ErrorBody {
  const body = text.replace(/^\ufeff/, "").trim();
  if (body === "") return {};
  if (body.startsWith("<")) return parseMarkup(body.slice(0, maxMarkupLength));
  const json = parseErrorJson(body);
  return json ?? { message: withoutTags(body.slice(0, maxMarkupLength)) };
}

/** A title stands at the beginning; what is longer only costs time. */
const maxMarkupLength = 16 * 1024;

function parseMarkup(markup: string): ErrorBody {
  return parseXmlError(markup) ?? parseHtmlError(markup);
}
