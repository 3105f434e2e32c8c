import type { Message } from "../../conversation/conversation.ts";
import { responseJson } from "../../responses/structured/responseJson.ts";

/**
 * Whether the text stands in one of the messages, or goes over several that follow each other: whole, as a block of code
 * inside of lists and quotes, or as a value of a response that is JSON. A page that was taken over could claim anything.
 */
export function isDisplayed(text: string, messages: readonly Message[]): boolean {
  const wanted = squeeze(text);
  if (wanted === "") return true;
  for (const message of messages.toReversed()) {
    if (squeeze(message.text).includes(wanted) || squeeze(message.reasoning).includes(wanted)) return true;
    if (message.role === "assistant" && hasValue(message.text, text)) return true;
  }
  // A response that was continued is copied as one.
  return squeeze(messages.map((message) => message.text).join("")).includes(wanted);
}

/**
 * Whether the address stands in one of the messages, however it is escaped there. What the user has written doesn't count:
 * a page could have sent it as a message.
 */
export function isDisplayedAddress(address: string, messages: readonly Message[]): boolean {
  const wanted = plainAddress(address)
    .replace(/^(?:https?:\/\/|mailto:)/, "")
    .replace(/\/$/, "");
  if (wanted === "") return false;
  return messages.some(({ role, text }) => role !== "user" && plainAddress(text).includes(wanted));
}

/** Without white space and the marks of quotes: where a block stands says nothing of what it is. */
function squeeze(text: string): string {
  return text.replaceAll(/[\s>]+/g, "");
}

function hasValue(text: string, wanted: string): boolean {
  // Most texts aren't JSON, which their first character shows.
  if (!/^\s*["[{\d-]|^\s*(?:true|false|null)\b/.test(wanted)) return false;
  const answer = responseJson(text);
  if (answer.state === "notJson") return false;
  try {
    return JSON.stringify(answer.value).includes(JSON.stringify(JSON.parse(wanted)));
  } catch {
    return false;
  }
}

/** As Markdown, HTML entities and percent signs mean it. */
function plainAddress(text: string): string {
  return text
    .replaceAll("&amp;", "&")
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, "")
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, decode)
    .toLowerCase();
}

function decode(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
