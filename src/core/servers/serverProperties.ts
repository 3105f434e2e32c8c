import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../kernel/foreignText.ts";
import { serverAddresses } from "./connect/recordPorts.ts";
import { recordValues } from "./filter/recordValues.ts";
import type { ServerAnnotation } from "./marks/serverAnnotation.ts";
import type { Server } from "./server.ts";
import { factCell, factEntry, factNames } from "./serverFacts.ts";
import type { Cell, FactEntry, FactName, GroupName } from "./serverFacts.ts";
import { factText } from "./serverLabels.ts";
import { serverTags } from "./serverTags.ts";

/** What a filter is applied to. */
export interface FilterSubject {
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  readonly profileName: string;
  readonly isStale: boolean;
}

type Subject = Pick<FilterSubject, "server" | "profileName">;

/** What servers can be filtered, sorted, and grouped by, and what a column shows. */
export interface ServerProperty extends Pick<FactEntry, "column" | "synonyms"> {
  readonly label: () => string;
  readonly heading: () => string;
  /** Whether free text in a filter is searched for in it. */
  readonly isSearched: boolean;
  /** Whether the tree can be sorted by it. */
  readonly isSortable: boolean;
  /** Whether its texts are sorted as the numbers that they contain. */
  readonly isAmount?: boolean;
  readonly group?: FactEntry["group"] & { of(server: Server): readonly GroupName[] };
  /** What a filter compares. */
  values(subject: Subject): readonly string[];
  cell(subject: Subject): Cell;
  /** What servers are sorted by; the content of the cell unless given. */
  readonly order?: FactEntry["order"];
}

const maxText = 300;

/** A property of several texts. */
function listProperty(
  label: () => string,
  values: (subject: Subject) => readonly string[],
  more: Partial<ServerProperty> = {},
): ServerProperty {
  const cell = (subject: Subject): Cell => sanitizeLabel(values(subject).join(", "), maxText);
  return {
    ...{ label, heading: label, column: "never", isSearched: false, isSortable: false, values, cell },
    ...more,
  };
}

function factProperty(name: FactName): ServerProperty {
  const entry = factEntry(name);
  const { label, heading = label, kind, shown, column, synonyms = [], values, order, group } = entry;
  const groupOf = entry.groupOf ?? ((server) => nameOf(factText(server[name], 80)));
  return {
    ...{ label, heading, column, synonyms },
    isSearched: shown !== "never" && kind !== "time" && kind !== "seconds",
    isSortable: shown === "title" || shown === "row" || group !== undefined,
    isAmount: kind === "count",
    values: ({ server }) => values?.(server) ?? [factText(server[name])],
    cell: ({ server }) => factCell(entry, name, server),
    ...(order === undefined ? {} : { order }),
    ...(group === undefined ? {} : { group: { ...group, of: (server) => [groupOf(server)] } }),
  };
}

function nameOf(text: string): GroupName {
  return { key: text, label: text };
}

/** The properties by their words, in display order: the facts, and what consists of several texts. */
export const serverProperties: ReadonlyMap<string, ServerProperty> = new Map([
  ...factNames.map((name) => [factEntry(name).word ?? name, factProperty(name)] as const),
  [
    "addresses",
    listProperty(
      () => t("All addresses"),
      ({ server }) => serverAddresses(server),
    ),
  ],
  [
    "tag",
    listProperty(
      () => t("Tags"),
      ({ server }) => serverTags(server),
      {
        ...{ column: "usual", isSearched: true, synonyms: ["tags", "label"] },
        group: { icon: "tag", none: () => t("Untagged"), of: (server) => serverTags(server).map(nameOf) },
      },
    ),
  ],
  [
    "profile",
    listProperty(
      () => t("Profile"),
      ({ profileName }) => [sanitizeLabel(profileName, 100)],
    ),
  ],
]);

/** The properties by the words of filters, in lower case. A synonym is never the word of another one. */
const byWord: ReadonlyMap<string, ServerProperty> = new Map([
  ...[...serverProperties.values()].flatMap((each) =>
    (each.synonyms ?? []).map((word) => [word, each] as const),
  ),
  ...[...serverProperties].map(([word, each]) => [word.toLowerCase(), each] as const),
]);

/** The property that this word means in a filter, regardless of case. */
export function propertyOf(word: string): ServerProperty | undefined {
  return byWord.get(word.toLowerCase());
}

/** The cell of a server in a column: a property, or the values of any field of its record. */
export function cellOf(subject: Subject, column: string): Cell {
  const property = serverProperties.get(column);
  if (property !== undefined) return property.cell(subject);
  return sanitizeLabel(recordValues(subject.server.record, column).join(", "), maxText);
}

const amount = /^[$€£¥]?\s?(-?\d{1,15}(?:\.\d+)?)(?:\s?[\p{L}%/]{1,12})?$/u;

/**
 * What a server is sorted by in a column: a text, a number, or undefined for nothing, which comes last.
 * @param now Milliseconds since 1970.
 */
export function sortKey(subject: Subject, column: string, now: number): string | number | undefined {
  const { order, isAmount = false } = serverProperties.get(column) ?? { isAmount: true };
  const key = order?.(subject.server) ?? cellOf(subject, column);
  if (order === undefined && typeof key === "number") return key < 0 ? -key : now - key;
  const match = isAmount ? amount.exec(String(key)) : null;
  return key === "" ? undefined : match === null ? key : Number(match[1]);
}
