import { isRecord, numberField, stringField } from "../../kernel/json.ts";
import type { ContextFromWebview } from "./contextProtocol.ts";

/** Checks what the page says about context; undefined for anything else. */
export function parseContextMessage(value: unknown): ContextFromWebview | undefined {
  if (!isRecord(value)) return undefined;
  const text = stringField(value, "text");
  switch (value["type"]) {
    case "suggest": {
      const { trigger } = value;
      const queryId = numberField(value, "queryId");
      if (queryId === undefined || text === undefined || (trigger !== "#" && trigger !== "/"))
        return undefined;
      return { type: "suggest", queryId, trigger, text };
    }
    case "suggestEnd":
      return { type: "suggestEnd" };
    case "pickSuggestion": {
      const id = stringField(value, "id");
      return id === undefined ? undefined : { type: "pickSuggestion", id };
    }
    case "attachText":
    case "openContext": {
      const title = stringField(value, "title");
      return title === undefined || text === undefined ? undefined : { type: value["type"], title, text };
    }
    default:
      return undefined;
  }
}
