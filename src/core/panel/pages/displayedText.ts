import type { Message } from "../../conversation/conversation.ts";
import { responseJson } from "../../responses/structured/responseJson.ts";

/**
 * Whether the text occurs in one of the messages, or spans several consecutive ones: as a whole, as a code block inside
 * lists and quotes, or as a value of a JSON response. A compromised page could claim anything.
 */
export function isDisplayed(text: string, messages: readonly Message[]): boolean {
  const wanted = squeeze(text);
  if (wanted === "") return true;
  for (const message of messages.toReversed()) {
    if (squeeze(message.text).includes(wanted) || squeeze(message.reasoning).includes(wanted)) return true;
    if (message.role === "assistant" && hasValue(message.text, text)) return true;
  }
  // A continued response is copied as one.
  return squeeze(messages.map((message) => message.text).join("")).includes(wanted);
}

/**
 * Whether the address occurs in one of the messages, however it is escaped there. User messages don't count, because a
 * page could have sent the address as a message.
 */
export function isDisplayedAddress(address: string, messages: readonly Message[]): boolean {
  const wanted = plainAddress(address)
    .replace(/^(?:https?:\/\/|mailto:)/, "")
    .replace(/\/$/, "");
  if (wanted === "") return false;
  return messages.some(({ role, text }) => role !== "user" && plainAddress(text).includes(wanted));
}

/** Without whitespace and quote markers, because the position of a block says nothing about its content. */
function squeeze(text: string): string {
  return text.replaceAll(/[\s>]+/g, "");
}

function hasValue(text: string, wanted: string): boolean {
  // Most texts aren't JSON, as their first character shows.
  if (!/^\s*["[{\d-]|^\s*(?:true|false|null)\b/.test(wanted)) return false;
  const answer = responseJson(text);
  if (answer.state === "notJson") return false;
  try {
    return JSON.stringify(answer.value).includes(JSON.stringify(JSON.parse(wanted)));
  } catch {
    return false;
  }
}

/** Resolves Markdown escapes, HTML entities and percent-encoding. */
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
