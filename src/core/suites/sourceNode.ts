import { t } from "@vscode/l10n";
import type { JsonValue } from "../kernel/json.ts";
import { formatNumber } from "../kernel/formatTime.ts";

/** A range of a text, in UTF-16 code units from its start. */
export interface SourceRange {
  readonly start: number;
  readonly end: number;
}

/** A value in a file together with its position, so that a problem can be shown at that position. */
export type SourceNode = SourceRange &
  (
    | {
        readonly kind: "scalar";
        readonly value: string | number | boolean | null;
        /** As it was written, without quotes: a text such as `1.10` must not become a number. */
        readonly text: string;
      }
    | { readonly kind: "list"; readonly items: readonly SourceNode[] }
    | { readonly kind: "map"; readonly entries: readonly SourceEntry[] }
  );

/** An entry of a map. The range of its key is where problems with the entry as a whole are shown. */
export interface SourceEntry {
  readonly key: string;
  readonly keyRange: SourceRange;
  readonly value: SourceNode;
}

/** What is wrong with a file, and where. */
export interface SourceProblem {
  readonly range: SourceRange;
  /** A sentence. */
  readonly message: string;
}

/** A node with named entries. */
export type MapNode = SourceNode & { readonly kind: "map" };

/** The line and column of an offset, both counted from one. */
export function positionIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The value without positions. */
export function plainValue(node: SourceNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)]));
}

/** The value of this key; undefined if the map doesn't have it. */
export function findMapValue(map: MapNode, key: string): SourceNode | undefined {
  return map.entries.find((entry) => entry.key === key)?.value;
}

/** A file that another file names, relative to its folder and with `/`. */
export interface NamedFile {
  readonly path: string;
  readonly range: SourceRange;
}

/** Reads values from nodes and collects what is wrong with them. */
export class SourceReader {
  readonly problems: SourceProblem[] = [];

  /** Adds a problem, whose message is a sentence. Returns undefined, as the caller's value. */
  report(range: SourceRange, message: string): undefined {
    const { start, end } = range;
    this.problems.push({ range: { start, end }, message });
    return undefined;
  }

  /** Reports that the map lacks the key. */
  missing(map: SourceNode, key: string): undefined {
    return this.report(map, t("The key “{0}” is missing.", key));
  }

  /** The map, whose keys must all be known. */
  map(node: SourceNode, known: readonly string[]): MapNode | undefined {
    if (node.kind !== "map") return this.report(node, t("This must be a map of keys and values."));
    for (const { key, keyRange } of node.entries)
      if (!known.includes(key))
        this.report(keyRange, t("“{0}” isn't supported here. Supported keys: {1}", key, known.join(", ")));
    return node;
  }

  /** The items of a list, up to a maximum number; empty, with a report, if it isn't a list. */
  list(node: SourceNode, most: number): readonly SourceNode[] {
    if (node.kind !== "list") return this.report(node, t("This must be a list.")) ?? [];
    if (node.items.length > most)
      this.report(node, t("At most {0} entries are allowed here.", formatNumber(most)));
    return node.items.slice(0, most);
  }

  /** A text that isn't empty. Numbers and Booleans count as they were written. */
  text(node: SourceNode, longest = Infinity): string | undefined {
    if (node.kind !== "scalar" || node.value === null || node.text.trim() === "")
      return this.report(node, t("This must be text that isn't empty."));
    if (node.text.length > longest)
      return this.report(node, t("This must have at most {0} characters.", formatNumber(longest)));
    return node.text;
  }

  /** A number from `least` to `most`. */
  number(node: SourceNode, least: number, most: number): number | undefined {
    const value = node.kind === "scalar" ? node.value : undefined;
    return typeof value === "number" && value >= least && value <= most
      ? value
      : this.report(node, t("This must be a number from {0} to {1}.", String(least), String(most)));
  }

  /** Undefined, with a report, if it isn't true or false. */
  boolean(node: SourceNode): boolean | undefined {
    const value = node.kind === "scalar" ? node.value : undefined;
    return typeof value === "boolean" ? value : this.report(node, t("This must be true or false."));
  }

  /** One text, or a list of texts. */
  texts(node: SourceNode, most: number, longest?: number): readonly string[] {
    const nodes = node.kind === "list" ? this.list(node, most) : [node];
    return nodes.flatMap((item) => this.text(item, longest) ?? []);
  }

  /** A relative path. Whether it leads out of the workspace is checked where the file is read. */
  path(node: SourceNode): NamedFile | undefined {
    const path = this.text(node, 1_000);
    if (path === undefined) return undefined;
    if (/^[\\/]|^[A-Za-z][A-Za-z0-9+.-]*:|[\\\0]/.test(path))
      return this.report(node, t("This must be a path relative to the folder of this file, with “/”."));
    return { path, range: { start: node.start, end: node.end } };
  }
}
