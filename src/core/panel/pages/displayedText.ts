import type { Message } from "../../conversation/conversation.ts";
import { percentDecode } from "../../kernel/httpAddress.ts";
import type { Pause } from "../../kernel/pause.ts";
import { responseJson } from "../../responses/structured/responseCheck.ts";

/**
 * Whether the text occurs in one of the messages, or spans several consecutive ones: as a whole, as a code block inside
 * lists and quotes, or as a value of a JSON response. A compromised page could claim anything.
 * @param pause Called between two messages, because a conversation may be huge.
 */
export async function isDisplayed(
  text: string,
  messages: readonly Message[],
  pause: Pause,
): Promise<boolean> {
  const wanted = squeeze(text);
  if (wanted === "") return true;
  const squeezed: string[] = [];
  for (const message of messages.toReversed()) {
    const written = squeeze(message.text);
    if (written.includes(wanted) || squeeze(message.reasoning).includes(wanted)) return true;
    if (message.role === "assistant" && hasValue(message.text, text)) return true;
    squeezed.push(written);
    await pause();
  }
  // A continued response is copied as one.
  return squeezed.toReversed().join("").includes(wanted);
}

/**
 * Whether the address occurs in one of the messages, however it is escaped there. User messages don't count, because a
 * page could have sent the address as a message.
 * @param pause Called between two messages, because a conversation may be huge.
 */
export async function isDisplayedAddress(
  address: string,
  messages: readonly Message[],
  pause: Pause,
): Promise<boolean> {
  const wanted = plainAddress(address)
    .replace(/^(?:https?:\/\/|mailto:)/, "")
    .replace(/\/$/, "");
  if (wanted === "") return false;
  for (const { role, text, sources = [] } of messages.toReversed()) {
    const all = role === "user" ? [] : [text, ...sources.map(({ url }) => url)];
    if (all.some((shown) => plainAddress(shown).includes(wanted))) return true;
    await pause();
  }
  return false;
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
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, percentDecode)
    .toLowerCase();
}
