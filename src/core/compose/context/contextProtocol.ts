import type { TextPart } from "../../conversation/completion.ts";
import type { IconName } from "../../kernel/iconNames.ts";
import { isRecord, numberField, stringField } from "../../kernel/json.ts";

/** What opens the list: `#` offers things to attach, `/` offers commands. */
export type SuggestionTrigger = "#" | "/";

/** One line of the list under the user's caret. */
export interface Suggestion {
  /** Means something to the host only. */
  readonly id: string;
  readonly label: string;
  /** What stands beside the label; empty if there is nothing to say. */
  readonly detail: string;
  readonly icon: IconName;
  /** Choosing it narrows the search: this stands behind the trigger then, and the list stays. */
  readonly narrowsTo?: string;
  /** Shown with its reason in `detail`, but not to be chosen. */
  readonly isUnavailable?: boolean;
}

/** Host to page. */
export type ContextToWebview =
  | { readonly type: "suggestions"; readonly queryId: number; readonly items: readonly Suggestion[] }
  /** Adds text at the caret and attachments to the draft. `notice` says what could not be attached. */
  | {
      readonly type: "compose";
      readonly text: string;
      readonly parts: readonly TextPart[];
      readonly notice?: string;
    };

/** Page to host. */
export type ContextFromWebview =
  /** A newer query replaces an older one; answered by `suggestions` with the same number. */
  | {
      readonly type: "suggest";
      readonly queryId: number;
      readonly trigger: SuggestionTrigger;
      readonly text: string;
    }
  /** The list is closed, so no reply is expected any more. */
  | { readonly type: "suggestEnd" }
  /** Answered by `compose`. */
  | { readonly type: "pickSuggestion"; readonly id: string }
  /** The text of a file that was dropped or pasted from outside VS Code; answered by `compose`. */
  | { readonly type: "attachText"; readonly title: string; readonly text: string }
  /** Shows an attachment: the file where it stands, else its text. */
  | { readonly type: "openContext"; readonly title: string; readonly text: string };

/** Whatever the host adds to what is being written. */
export type Composition = Omit<Extract<ContextToWebview, { readonly type: "compose" }>, "type">;

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
