import { isModality } from "../conversation/modelCatalog.ts";
import { parseContextMessage } from "../compose/context/contextProtocol.ts";
import { parseQueueRequest } from "../compose/send/queueSender.ts";
import { parseSendAnswer } from "../compose/send/sendQuestion.ts";
import { parseContentParts } from "../conversation/messageDetails.ts";
import { isRecord, stringField, stringsIn } from "../kernel/json.ts";
import { parseCodeRequest } from "../responses/code/codeRequest.ts";
import { parseToolMessage } from "../responses/tools/liveCalls.ts";
import { actionIds, parseMessageAction } from "./pageActions.ts";
import type { FromWebview } from "./protocol.ts";
import { parseSettingsRequest } from "./settings/settingsForm.ts";

/** The page's requests concerning attachments. */
export type AttachmentRequest = Extract<
  FromWebview,
  { readonly type: "pickFiles" | "readFiles" | "pickModel" }
>;

/** Validates a message from the page; undefined for anything else. */
function parseAttachmentRequest(record: Readonly<Record<string, unknown>>): AttachmentRequest | undefined {
  switch (record["type"]) {
    case "pickFiles":
      return { type: "pickFiles" };
    case "readFiles":
      return { type: "readFiles", uris: stringsIn(record["uris"]) };
    case "pickModel":
      return { type: "pickModel", modalities: stringsIn(record["modalities"]).filter(isModality) };
    default:
      return undefined;
  }
}

/** Validates a message from the page; undefined for anything outside the protocol. */
export function parseFromWebview(value: unknown): FromWebview | undefined {
  if (!isRecord(value)) return undefined;
  const messageId = stringField(value, "messageId");
  switch (value["type"]) {
    case "ready":
    case "pong":
    case "ping":
    case "focused":
    case "retryNow":
      return { type: value["type"] };
    case "stop":
      return messageId === undefined ? { type: "stop" } : { type: "stop", messageId };
    case "messageAction": {
      const action = parseMessageAction(value["action"]);
      return action === undefined || messageId === undefined
        ? undefined
        : { type: "messageAction", action, messageId };
    }
    case "copy": {
      const text = stringField(value, "text");
      return text === undefined ? undefined : { type: "copy", text };
    }
    case "selectModel": {
      const model = stringField(value, "model");
      return model === undefined ? undefined : { type: "selectModel", model };
    }
    case "action": {
      const id = actionIds.find((known) => known === value["id"]);
      if (id === undefined) return undefined;
      return messageId === undefined ? { type: "action", id } : { type: "action", id, messageId };
    }
    case "openLink": {
      const href = stringField(value, "href");
      return href === undefined ? undefined : { type: "openLink", href };
    }
    case "loadImage": {
      const url = stringField(value, "url");
      return url === undefined ? undefined : { type: "loadImage", url };
    }
    case "code": {
      const request = parseCodeRequest(value);
      return request === undefined ? undefined : { type: "code", ...request };
    }
    case "pageError": {
      const message = stringField(value, "message");
      return message === undefined ? undefined : { type: "pageError", message };
    }
    default:
      return parseOfPart(value);
  }
}

/** Parses messages that belong to individual parts of the page. */
function parseOfPart(value: Readonly<Record<string, unknown>>): FromWebview | undefined {
  return (
    parseOutgoing(value) ??
    parseAttachmentRequest(value) ??
    parseToolMessage(value) ??
    parseSettingsRequest(value) ??
    parseSendAnswer(value) ??
    parseQueueRequest(value) ??
    parseContextMessage(value)
  );
}

/** Messages from the page with text that the user writes. */
type OutgoingMessage = Extract<FromWebview, { readonly type: "send" | "compare" | "edit" | "draft" }>;

/** Validates a message from the page; undefined for anything else. */
function parseOutgoing(record: Readonly<Record<string, unknown>>): OutgoingMessage | undefined {
  const text = stringField(record, "text");
  if (text === undefined) return undefined;
  const attachments = parseContentParts(record["attachments"]);
  switch (record["type"]) {
    case "send":
      return record["stopFirst"] === true
        ? { type: "send", text, attachments, stopFirst: true }
        : { type: "send", text, attachments };
    case "compare":
      return { type: "compare", text, attachments };
    case "draft":
      return record["attachments"] === undefined
        ? { type: "draft", text }
        : { type: "draft", text, attachments };
    case "edit": {
      const messageId = stringField(record, "messageId");
      return messageId === undefined ? undefined : { type: "edit", messageId, text, attachments };
    }
    default:
      return undefined;
  }
}
