import { t } from "@vscode/l10n";
import { EVENT_ID, SCALAR_STYLE, YAMLException, getScalarValue, parseEvents } from "js-yaml";
import type { Event } from "js-yaml";
import type { SourceEntry, SourceNode, SourceProblem, SourceRange } from "../../core/suites/sourceNode.ts";

type ScalarEvent = Extract<Event, { readonly type: typeof EVENT_ID.SCALAR }>;
type CollectionEvent = Extract<Event, { readonly type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;

/** Maximum nesting depth of collections. */
const maxDepth = 40;
/** Maximum number of values, and of UTF-16 code units, after every alias has been replaced with its value. */
const [maxNodes, maxLength] = [200_000, 8_000_000];

/** How large a value is once its aliases are replaced. */
interface Size {
  readonly nodes: number;
  readonly length: number;
}

interface Sized {
  readonly node: SourceNode;
  readonly size: Size;
}

type YamlResult = { readonly root: SourceNode } | { readonly problem: SourceProblem };

/**
 * Reads one YAML document with the places of its values. An alias shares the value of its anchor, so it costs nothing
 * here; the size that it adds when walking through the value is counted and limited.
 */
export function readYaml(source: string): YamlResult {
  try {
    return { root: new YamlReader(source).read() };
  } catch (error) {
    if (error instanceof YamlProblem) return { problem: { range: error.range, message: error.message } };
    const start = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
    const reason = error instanceof YAMLException ? error.reason : String(error);
    return {
      problem: { range: { start, end: start + 1 }, message: t("This isn't valid YAML: {0}", reason) },
    };
  }
}

class YamlProblem extends Error {
  readonly range: SourceRange;

  constructor(range: SourceRange, message: string) {
    super(message);
    this.range = range;
  }
}

class YamlReader {
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Sized>();
  #at = 0;
  /** Where the last value ended. */
  #end = 0;

  constructor(source: string) {
    this.#source = source;
    this.#events = parseEvents(source, { maxDepth });
  }

  read(): SourceNode {
    const documents = this.#events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length;
    const whole = { start: 0, end: Math.min(1, this.#source.length) };
    if (documents > 1) throw new YamlProblem(whole, t("The file must contain a single YAML document."));
    this.#at = this.#events.findIndex(({ type }) => type === EVENT_ID.DOCUMENT) + 1;
    const first = this.#events[this.#at];
    if (documents === 0 || first === undefined || first.type === EVENT_ID.POP)
      return { kind: "scalar", value: null, text: "", ...whole };
    return this.#node().node;
  }

  #node(): Sized {
    const event = this.#events[this.#at++];
    switch (event?.type) {
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.ALIAS:
        return this.#alias(event);
      case EVENT_ID.SEQUENCE:
        return this.#list(event);
      case EVENT_ID.MAPPING:
        return this.#map(event);
      default:
        throw new YamlProblem({ start: this.#end, end: this.#end + 1 }, t("A value is missing here."));
    }
  }

  #scalar(event: ScalarEvent): Sized {
    const text = getScalarValue(this.#source, event);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const start = event.valueStart < 0 ? this.#end : event.valueStart;
    this.#end = Math.max(start, event.valueEnd);
    const range = { start, end: this.#end };
    const tag = event.tagStart < 0 ? undefined : this.#source.slice(event.tagStart, event.tagEnd);
    if (tag !== undefined && tag !== "!!str" && tag !== "!")
      throw new YamlProblem(range, t("The tag “{0}” isn't supported.", tag));
    const value = isPlain && tag === undefined ? coreValue(text) : text;
    const size = { nodes: 1, length: text.length };
    return this.#keep(event, { node: { kind: "scalar", value, text, ...range }, size });
  }

  /** An alias has its own position: a problem is shown where the value is used. */
  #alias({ anchorStart, anchorEnd }: { readonly anchorStart: number; readonly anchorEnd: number }): Sized {
    const name = this.#source.slice(anchorStart, anchorEnd);
    const range = { start: Math.max(0, anchorStart - 1), end: anchorEnd };
    const found = this.#anchors.get(name);
    if (found === undefined)
      throw new YamlProblem(range, t("“{0}” has no matching anchor before it.", `*${name}`));
    this.#end = anchorEnd;
    return { ...found, node: { ...found.node, ...range } };
  }

  #list(event: CollectionEvent): Sized {
    const items: SourceNode[] = [];
    const total = new Total(this.#begin(event));
    while (!this.#isOver()) items.push(total.add(this.#node()));
    const node: SourceNode = { kind: "list", items, ...this.#range(event) };
    return this.#keep(event, { node, size: total.size });
  }

  #map(event: CollectionEvent): Sized {
    const entries: SourceEntry[] = [];
    const keys = new Set<string>();
    const total = new Total(this.#begin(event));
    while (!this.#isOver()) {
      const key = total.add(this.#node());
      if (key.kind !== "scalar") throw new YamlProblem(key, t("A key must be text."));
      if (keys.has(key.text)) throw new YamlProblem(key, t("The key “{0}” occurs twice.", key.text));
      keys.add(key.text);
      const value = total.add(this.#node());
      entries.push({ key: key.text, keyRange: { start: key.start, end: key.end }, value });
    }
    const node: SourceNode = { kind: "map", entries, ...this.#range(event) };
    return this.#keep(event, { node, size: total.size });
  }

  #begin({ start, tagStart, tagEnd }: CollectionEvent): SourceRange {
    this.#end = Math.max(this.#end, start);
    const range = { start, end: start + 1 };
    if (tagStart >= 0)
      throw new YamlProblem(range, t("The tag “{0}” isn't supported.", this.#source.slice(tagStart, tagEnd)));
    return range;
  }

  #isOver(): boolean {
    const isOver = this.#events[this.#at]?.type === EVENT_ID.POP;
    if (isOver) this.#at++;
    return isOver;
  }

  #range({ start }: CollectionEvent): SourceRange {
    return { start, end: Math.max(start, this.#end) };
  }

  #keep(event: ScalarEvent | CollectionEvent, value: Sized): Sized {
    if (event.anchorStart >= 0)
      this.#anchors.set(this.#source.slice(event.anchorStart, event.anchorEnd), value);
    return value;
  }
}

/** The size of a collection while it is read. */
class Total {
  readonly #range: SourceRange;
  #nodes = 1;
  #length = 0;

  constructor(range: SourceRange) {
    this.#range = range;
  }

  get size(): Size {
    return { nodes: this.#nodes, length: this.#length };
  }

  add({ node, size }: Sized): SourceNode {
    this.#nodes += size.nodes;
    this.#length += size.length;
    if (this.#nodes > maxNodes || this.#length > maxLength)
      throw new YamlProblem(this.#range, t("The file is too large once its aliases are replaced."));
    return node;
  }
}

/** Parses a plain scalar according to the core schema of YAML 1.2. */
function coreValue(text: string): string | number | boolean | null {
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  const isNumber =
    /^0o[0-7]+$|^0x[\dA-Fa-f]+$/.test(text) || /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text);
  const number = isNumber ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}
