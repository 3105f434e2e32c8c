import type { AttachmentLimits } from "../../compose/attachments/limits.ts";
import type { Message } from "../../conversation/conversation.ts";
import { percentDecode } from "../../kernel/httpAddress.ts";
import { pageErrorLimit } from "../../kernel/messageLimiter.ts";
import type { MessageLimit } from "../../kernel/messageLimiter.ts";
import type { Pause } from "../../kernel/pause.ts";
import { responseJson } from "../../responses/structured/responseCheck.ts";
import type { FromWebview } from "../protocol.ts";

/** Texts of one message, in UTF-16 units: more than any model accepts. */
const longestText = 64_000_000;
/** Maximum length of names, addresses and similar texts. */
const short = 20_000;

/** Messages that ask the user or VS Code for something. */
const asking: MessageLimit = { size: short, burst: 20, perSecond: 2 };
/** Messages caused by keys, focus and the life cycle of the page. */
const lively: MessageLimit = { size: short, burst: 200, perSecond: 40 };
/** Messages with text and attachments. */
const outgoing = { burst: 30, perSecond: 5 };

type MessageType = FromWebview["type"];

function limits(contentSize: number): Readonly<Record<MessageType, MessageLimit>> {
  return {
    ready: { size: short, burst: 20, perSecond: 1 },
    ping: lively,
    pong: lively,
    focused: lively,
    send: { ...outgoing, size: contentSize },
    compare: { ...outgoing, size: contentSize },
    edit: { ...outgoing, size: contentSize },
    // Sent while the user types.
    draft: { ...lively, size: contentSize },
    answerSend: asking,
    queue: { ...asking, size: longestText, burst: 100, perSecond: 10 },
    stop: lively,
    retryNow: lively,
    // A page that opens a long conversation requests a check of each response that must be JSON.
    messageAction: { size: short, burst: 20_000, perSecond: 500 },
    toolAnswer: { size: short, burst: 200, perSecond: 20 },
    openToolArguments: asking,
    selectModel: asking,
    action: asking,
    changeSettings: { ...asking, size: 4_000_000, burst: 60 },
    changePresets: { ...asking, size: 1_000_000 },
    copy: { ...asking, size: longestText },
    openLink: asking,
    code: { ...asking, size: longestText },
    pickFiles: asking,
    readFiles: { size: 500_000, burst: 10, perSecond: 1 },
    pickModel: asking,
    loadImage: { size: short, burst: 200, perSecond: 10 },
    pageError: pageErrorLimit,
    suggest: lively,
    suggestEnd: lively,
    pickSuggestion: asking,
    attachText: { size: longestText, burst: 100, perSecond: 5 },
    openContext: { ...asking, size: longestText },
  };
}

/** The limits for messages from a chat page, based on the attachment limits. */
export function chatPageLimit(type: string, attachments: AttachmentLimits): MessageLimit | undefined {
  // Base64 takes four characters for three bytes.
  const contentSize = longestText + Math.ceil((attachments.maxCount * attachments.maxBytes * 4) / 3);
  const table = limits(contentSize);
  return isMessageType(type, table) ? table[type] : undefined;
}

function isMessageType(
  type: string,
  table: Readonly<Record<MessageType, MessageLimit>>,
): type is MessageType {
  return Object.hasOwn(table, type);
}

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
  for (const { role, text } of messages.toReversed()) {
    if (role !== "user" && plainAddress(text).includes(wanted)) return true;
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
