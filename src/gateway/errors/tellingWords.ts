import type { ErrorBody } from "./errorBody.ts";
import { parseJsonInside, visitErrorFields } from "./errorFields.ts";
import { withoutTags } from "./errorMarkup.ts";

/** Sentences that only repeat that there was an error. */
const generic =
  /^(?:(?:an? )?(?:(?:unknown|unexpected|internal|upstream|provider|server|api|http|validation) ){0,3}(?:error|exception|failure)(?: has)?(?: occurr?ed| returned)?|provider returned (?:an )?error|bad request|invalid request|unprocessable (?:entity|content)|unauthorized|forbidden|not found|too many requests|payment required|conflict|service (?:temporarily )?unavailable|bad gateway|gateway time-?out|(?:the )?(?:upstream )?request (?:was )?(?:failed|rejected)|something went wrong|failed|failure|none|null|undefined|\d{1,6}|\[object object\])[.!]?$/i;

/** Whether the sentence only repeats that there was an error. */
export function isGeneric(message: string): boolean {
  return message.length < 80 && generic.test(message.trim());
}

/**
 * Names, in the form in which `visitErrorFields` passes them, of what is always worth reading: a provider's own words
 * behind a router.
 */
const rawNames =
  /^(?:raw|rawerror|rawmessage|providererror|upstreamerror|upstreammessage|originalerror|originalmessage|htmlmessage|messagehtml|innererror|flaggedreasons?)$/;
/** Of what is read where the message itself says nothing. */
const wordNames =
  /(?:message|msg|description|detail|details|explanation|cause|hint|remedyhint|text|body|response|title|reason|summary)$/;
const maxWords = 1_000;

/** The body with what it says elsewhere: behind a message that says nothing, and always a provider's own words. */
export function withExplanation(body: ErrorBody, document: unknown): ErrorBody {
  const { message } = body;
  const isMissing = message === undefined || isGeneric(message);
  const always: string[] = [];
  const otherwise: string[] = [];
  visitErrorFields(document, (name, value) => {
    if (name === "reasons" && Array.isArray(value)) always.push(...readReasons(value));
    const words = typeof value === "string" ? readWords(value) : undefined;
    if (words === undefined) return;
    if (rawNames.test(name)) always.push(words);
    else if (wordNames.test(name)) otherwise.push(words);
  });
  const known = message ?? "";
  const isNew = (words: string): boolean => !isGeneric(words) && !known.includes(words) && words !== "";
  const more = always.find(isNew) ?? (isMissing ? otherwise.find(isNew) : undefined);
  if (more === undefined) return body;
  return {
    ...body,
    message: message === undefined ? more : `${message.replace(/(?<![.:\s])[.:\s]+$/, "")}: ${more}`,
  };
}

/** Sentences only; JSON is read where it is visited itself. */
function readWords(value: string): string | undefined {
  if (parseJsonInside(value) !== undefined) return undefined;
  const words = withoutTags(value.slice(0, maxWords * 4)).slice(0, maxWords);
  return /\s|[\u3000-\u9fff]/.test(words) ? words : undefined;
}

/** Why a moderator has flagged something: `["violence"]`. */
function readReasons(value: readonly unknown[]): readonly string[] {
  const words = value.filter((item): item is string => typeof item === "string").slice(0, 10);
  return words.length === 0 ? [] : [words.join(", ")];
}
