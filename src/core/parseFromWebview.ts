import { isRecord, stringField } from "./json.ts";
import { parseContentParts } from "./parseContentParts.ts";
import type { ActionId, FromWebview } from "./protocol.ts";

const actionIds: ReadonlySet<string> = new Set<ActionId>([
  "retry",
  "setApiKey",
  "setAccessKey",
  "setSessionToken",
  "setStsToken",
  "addProfile",
  "selectModel",
  "startLocalGateway",
  "openProfiles",
  "openSettings",
  "refreshModels",
  "showLog",
]);

function isActionId(value: string | undefined): value is ActionId {
  return value !== undefined && actionIds.has(value);
}

/** Checks what comes from the page; undefined for anything that the protocol doesn't know. */
export function parseFromWebview(value: unknown): FromWebview | undefined {
  if (!isRecord(value)) return undefined;
  const text = stringField(value, "text");
  switch (value["type"]) {
    case "ready":
    case "stop":
    case "retryNow":
      return { type: value["type"] };
    case "send":
    case "draft": {
      const attachments = parseContentParts(value["attachments"]);
      return text === undefined ? undefined : { type: value["type"], text, attachments };
    }
    case "copy":
      return text === undefined ? undefined : { type: value["type"], text };
    case "selectModel": {
      const model = stringField(value, "model");
      return model === undefined ? undefined : { type: "selectModel", model };
    }
    case "action": {
      const id = stringField(value, "id");
      const messageId = stringField(value, "messageId");
      if (!isActionId(id)) return undefined;
      return messageId === undefined ? { type: "action", id } : { type: "action", id, messageId };
    }
    case "openLink": {
      const href = stringField(value, "href");
      return href === undefined ? undefined : { type: "openLink", href };
    }
    case "pageError": {
      const message = stringField(value, "message");
      return message === undefined ? undefined : { type: "pageError", message };
    }
    default:
      return undefined;
  }
}
