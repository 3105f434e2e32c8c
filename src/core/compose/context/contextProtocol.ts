import type { TextPart } from "../../conversation/completion.ts";
import type { IconName } from "../../kernel/iconNames.ts";
import { isRecord, numberField, stringField } from "../../kernel/json.ts";

/** The character that opens the list: `#` offers things to attach, `/` offers commands. */
export type SuggestionTrigger = "#" | "/";

/** One line of the list under the user's caret. */
export interface Suggestion {
  /** Opaque to the page; only the host interprets it. */
  readonly id: string;
  readonly label: string;
  /** Shown next to the label; empty if there is nothing to show. */
  readonly detail: string;
  readonly icon: IconName;
  /** Choosing it narrows the search: this text then follows the trigger, and the list stays open. */
  readonly narrowsTo?: string;
  /** Shown with its reason in `detail`, but can't be chosen. */
  readonly isUnavailable?: boolean;
}

/** Host to page. */
export type ContextToWebview =
  | { readonly type: "suggestions"; readonly queryId: number; readonly items: readonly Suggestion[] }
  /** Adds text at the caret and attachments to the draft. `notice` explains what could not be attached. */
  | {
      readonly type: "compose";
      readonly text: string;
      readonly parts: readonly TextPart[];
      readonly notice?: string;
    };

/** Page to host. */
export type ContextFromWebview =
  /** A newer query replaces an older one. The response is `suggestions` with the same number. */
  | {
      readonly type: "suggest";
      readonly queryId: number;
      readonly trigger: SuggestionTrigger;
      readonly text: string;
    }
  /** The list is closed, so no reply is expected any more. */
  | { readonly type: "suggestEnd" }
  /** The response is `compose`. */
  | { readonly type: "pickSuggestion"; readonly id: string }
  /** The text of a file that was dropped or pasted from outside VS Code. The response is `compose`. */
  | { readonly type: "attachText"; readonly title: string; readonly text: string }
  /** Shows an attachment: its file if there is one, otherwise its text. */
  | { readonly type: "openContext"; readonly title: string; readonly text: string };

/** What the host adds to the draft. */
export type Composition = Omit<Extract<ContextToWebview, { readonly type: "compose" }>, "type">;

/** Validates a message from the page about context; undefined for anything else. */
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
