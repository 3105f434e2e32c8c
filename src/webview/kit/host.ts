import { isRecord } from "../../core/kernel/json.ts";
import type { FromWebview } from "../../core/panel/protocol.ts";

/**
 * What VS Code stores for the page while it is hidden, moved to another window or reloaded: the conversation, and what
 * exists only on the page.
 */
export interface PageState {
  readonly conversationId: string;
  /** Undefined if the end is shown. */
  readonly place?: PagePlace | undefined;
  /** The texts of messages that are being edited, by message ID. */
  readonly edits?: Readonly<Record<string, string>>;
  /** What was pasted into these texts. */
  readonly pasted?: string;
  /** The numbers of the collapsible parts of a message that are open, separated by commas, by message ID. */
  readonly unfolded?: Readonly<Record<string, string>>;
  /** The fields of the open dialog. */
  readonly dialog?: Readonly<Record<string, string>> | undefined;
}

/** The first visible message, and how far its top is below that of the visible part, in CSS pixels. */
export interface PagePlace {
  readonly messageId: string;
  readonly offset: number;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  var acquireVsCodeApi: () => VsCodeApi;
}

/** The extension host as a page sees it. */
export interface PageHost<Message, State> {
  post(message: Message): void;
  /** What VS Code keeps for the page while it is discarded, or the window is reloaded. */
  saveState(state: State): void;
  /** Another version may have saved it. */
  loadState(): unknown;
}

/** May be called only once in the lifetime of a page. */
export function acquirePageHost<Message, State>(): PageHost<Message, State> {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    saveState: (state) => api.setState(state),
    loadState: () => api.getState(),
  };
}

/** The extension host as the chat page sees it. */
export interface Host extends PageHost<FromWebview, PageState> {
  loadState(): PageState | undefined;
}

/** May be called only once in the lifetime of the page. */
export function acquireHost(): Host {
  const host = acquirePageHost<FromWebview, PageState>();
  return {
    ...host,
    loadState: () => parsePageState(host.loadState()),
    saveState: (state) => {
      host.saveState(state);
      host.post({ type: "pageState", state: JSON.stringify(state) });
    },
  };
}

/** What an earlier page has saved; undefined if that is nothing, or something else. */
export function parsePageState(state: unknown): PageState | undefined {
  if (!isRecord(state) || typeof state["conversationId"] !== "string") return undefined;
  const { conversationId, place, edits, pasted, unfolded, dialog } = state;
  const { messageId, offset } = isRecord(place) ? place : {};
  return {
    conversationId,
    place: typeof messageId === "string" && typeof offset === "number" ? { messageId, offset } : undefined,
    edits: textsIn(edits),
    pasted: typeof pasted === "string" ? pasted : "",
    unfolded: textsIn(unfolded),
    dialog: isRecord(dialog) ? textsIn(dialog) : undefined,
  };
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
