import { t } from "@vscode/l10n";
import type { TextPart } from "../../conversation/completion.ts";
import type { ForeignText } from "../../conversation/quotes.ts";
import type { IconName } from "../../kernel/iconNames.ts";

/** A `#` or `/` that is being typed. Offsets are in UTF-16 units. */
export interface Trigger {
  readonly trigger: SuggestionTrigger;
  readonly start: number;
  readonly end: number;
  /** The text between the trigger and the caret. */
  readonly query: string;
}

/** Maximum length of a query; no name that users search for is longer. */
const longestQuery = 200;

/** The trigger whose word ends at the caret: `/` only at the very beginning, `#` at the beginning of any word. */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - longestQuery), caret);
  const word = /(?<!\S)\S*$/.exec(before)?.[0] ?? "";
  if (word.length === caret && word.startsWith("/")) return trigger("/", word, caret);
  const hash = /(?:^|[([{"'])(#\S*)$/.exec(word)?.[1];
  return hash === undefined ? undefined : trigger("#", hash, caret);
}

function trigger(kind: SuggestionTrigger, word: string, end: number): Trigger {
  return { trigger: kind, start: end - word.length, end, query: word.slice(1) };
}

/** What can be attached with `#`. The words are typed by the user and are the same in every language. */
type ContextKind =
  "file" | "folder" | "symbol" | "selection" | "editors" | "problems" | "terminal" | "changes" | "server";

/** Kinds with many items: choosing one narrows the search. */
type SearchedKind = "file" | "folder" | "symbol" | "server";

/** A kind of context as the page lists it after `#`. */
export interface KindView {
  readonly kind: ContextKind;
  readonly label: string;
  readonly icon: IconName;
}

/** Every kind, in list order. */
export function contextKinds(): readonly KindView[] {
  return [
    { kind: "file", label: t("File…"), icon: "file" },
    { kind: "folder", label: t("Folder listing…"), icon: "folder" },
    { kind: "symbol", label: t("Symbol…"), icon: "symbol-method" },
    { kind: "selection", label: t("Selection"), icon: "list-selection" },
    { kind: "editors", label: t("Open editors"), icon: "files" },
    { kind: "problems", label: t("Problems"), icon: "warning" },
    { kind: "terminal", label: t("Terminal selection"), icon: "terminal" },
    { kind: "changes", label: t("Git changes"), icon: "git-compare" },
    { kind: "server", label: t("GPU server…"), icon: "server" },
  ];
}

function isSearchedKind(kind: ContextKind): kind is SearchedKind {
  return kind === "file" || kind === "folder" || kind === "symbol" || kind === "server";
}

/** The text after `#`: an optional kind, and what to search for in it. */
interface ContextQuery {
  readonly kind?: SearchedKind;
  readonly text: string;
}

/** Reads `file:app` as a search for files only; anything else searches everything. */
export function parseContextQuery(query: string): ContextQuery {
  const end = query.indexOf(":");
  const kind = contextKinds().find((view) => end !== -1 && view.kind === query.slice(0, end))?.kind;
  return kind !== undefined && isSearchedKind(kind) ? { kind, text: query.slice(end + 1) } : { text: query };
}

/** The kinds whose word or label matches, in list order, those whose word starts with the text first. */
export function findKinds(text: string): readonly KindView[] {
  const wanted = text.toLowerCase();
  const byWord = contextKinds().filter(({ kind }) => kind.startsWith(wanted));
  const byLabel = contextKinds().filter(
    ({ kind, label }) => !kind.startsWith(wanted) && label.toLowerCase().includes(wanted),
  );
  return [...byWord, ...byLabel];
}

/** The characters that open the list: `#` offers things to attach, `/` offers commands. */
export const suggestionTriggers = ["#", "/"] as const;

type SuggestionTrigger = (typeof suggestionTriggers)[number];

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
      /** What of the text the user doesn't own. */
      readonly foreign?: ForeignText;
    };

/** What the host adds to the draft. */
export type Composition = Omit<Extract<ContextToWebview, { readonly type: "compose" }>, "type">;
