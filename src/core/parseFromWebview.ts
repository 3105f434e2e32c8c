import { parseCodeRequest } from "./code/codeRequest.ts";
import { isSense } from "./attachments/senses.ts";
import { parseContextMessage } from "./context/parseContextMessage.ts";
import { isRecord, stringField } from "./json.ts";
import { parseContentParts } from "./parseContentParts.ts";
import { parseSendAnswer } from "./send/sendQuestion.ts";
import { parseSettingsRequest } from "./settings/settingsProtocol.ts";
import { parseToolMessage } from "./tools/toolProtocol.ts";
import type { ActionId, FromWebview, MessageAction, RecordingCommand } from "./protocol.ts";

const actionIds: ReadonlySet<string> = new Set<ActionId>([
  "retry",
  "setApiKey",
  "setAccessKey",
  "setSessionToken",
  "setStsToken",
  "addProfile",
  "selectModel",
  "editChatSettings",
  "editSystemPrompt",
  "startLocalGateway",
  "openProfiles",
  "openSettings",
  "refreshModels",
  "selectTools",
  "setResponseFormat",
  "openResponseSchema",
  "removeResponseFormat",
  "showUsage",
  "showLog",
]);

const messageActions: readonly MessageAction[] = [
  "regenerate",
  "continue",
  "selectVersion",
  "fork",
  "compareVersions",
  "inspectRequest",
  "askOtherModel",
  "continueTools",
  "openToolResult",
  "checkAnswer",
  "retryWithErrors",
  "saveJson",
];

const recordingCommands: readonly RecordingCommand[] = ["start", "stop", "cancel"];

function isActionId(value: string | undefined): value is ActionId {
  return value !== undefined && actionIds.has(value);
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Checks what comes from the page; undefined for anything that the protocol doesn't know. */
export function parseFromWebview(value: unknown): FromWebview | undefined {
  if (!isRecord(value)) return undefined;
  const text = stringField(value, "text");
  const messageId = stringField(value, "messageId");
  switch (value["type"]) {
    case "ready":
    case "pong":
    case "ping":
    case "focused":
    case "retryNow":
    case "pickFiles":
      return { type: value["type"] };
    case "stop":
      return messageId === undefined ? { type: "stop" } : { type: "stop", messageId };
    case "edit": {
      const attachments = parseContentParts(value["attachments"]);
      return text === undefined || messageId === undefined
        ? undefined
        : { type: "edit", messageId, text, attachments };
    }
    case "messageAction": {
      const action = messageActions.find((known) => known === value["action"]);
      return action === undefined || messageId === undefined
        ? undefined
        : { type: "messageAction", action, messageId };
    }
    case "toolAnswer":
    case "openToolArguments":
      return parseToolMessage(value);
    case "compare":
    case "send":
      return text === undefined
        ? undefined
        : { type: value["type"], text, attachments: parseContentParts(value["attachments"]) };
    case "draft": {
      if (text === undefined) return undefined;
      const { attachments } = value;
      return attachments === undefined
        ? { type: "draft", text }
        : { type: "draft", text, attachments: parseContentParts(attachments) };
    }
    case "readFiles":
      return { type: "readFiles", uris: strings(value["uris"]) };
    case "recording": {
      const command = recordingCommands.find((known) => known === value["command"]);
      return command === undefined ? undefined : { type: "recording", command };
    }
    case "pickModel":
      return { type: "pickModel", senses: strings(value["senses"]).filter(isSense) };
    case "copy":
      return text === undefined ? undefined : { type: value["type"], text };
    case "selectModel": {
      const model = stringField(value, "model");
      return model === undefined ? undefined : { type: "selectModel", model };
    }
    case "action": {
      const id = stringField(value, "id");
      if (!isActionId(id)) return undefined;
      return messageId === undefined ? { type: "action", id } : { type: "action", id, messageId };
    }
    case "openLink": {
      const href = stringField(value, "href");
      return href === undefined ? undefined : { type: "openLink", href };
    }
    case "loadPicture": {
      const url = stringField(value, "url");
      return url === undefined ? undefined : { type: "loadPicture", url };
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
      return parseSettingsRequest(value) ?? parseSendAnswer(value) ?? parseContextMessage(value);
  }
}
