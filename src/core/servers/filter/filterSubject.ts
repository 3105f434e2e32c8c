import type { Server } from "../server.ts";
import type { ServerAnnotation } from "../marks/serverAnnotation.ts";
import { factText } from "../serverLabels.ts";
import { serverTags } from "../serverTags.ts";
import { recordValues } from "./recordValues.ts";

/** What a filter is applied to. */
export interface FilterSubject {
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  readonly profileName: string;
  readonly isStale: boolean;
}

type ReadValues = (subject: FilterSubject) => readonly (string | undefined)[];

const read: Readonly<Record<string, ReadValues>> = {
  status: ({ server }) => [server.status, text(server.statusText)],
  name: ({ server, mark }) => [text(server.name), mark?.alias],
  id: ({ server }) => [text(server.id)],
  gpu: ({ server }) => [text(server.gpu), text(server.gpuModel)],
  gpus: ({ server }) => [text(server.gpuCount)],
  region: ({ server }) => [text(server.region)],
  address: ({ server }) => [text(server.address)],
  tag: ({ server }) => serverTags(server),
  profile: ({ profileName }) => [profileName],
  alias: ({ mark }) => [mark?.alias],
  note: ({ mark }) => [mark?.note],
  is: (subject) => traits(subject),
};

const synonyms: Readonly<Record<string, string>> = {
  state: "status",
  ip: "address",
  tags: "tag",
  label: "tag",
  gpucount: "gpus",
  zone: "region",
  location: "region",
};

/** The fields that every server has, for completions. */
export const knownFields: readonly string[] = Object.keys(read);

/** The values that `is:` supports. */
export const traitNames: readonly string[] = [
  "pinned",
  "noted",
  "watched",
  "muted",
  "stale",
  "private",
  "public",
];

function traits({ server, mark, isStale }: FilterSubject): readonly (string | undefined)[] {
  return [
    mark?.isPinned === true ? "pinned" : undefined,
    mark?.note === undefined ? undefined : "noted",
    mark?.isWatched === true ? "watched" : undefined,
    mark?.isMuted === true ? "muted" : undefined,
    isStale ? "stale" : undefined,
    server.address === undefined ? undefined : server.isPrivateAddress === true ? "private" : "public",
  ];
}

/**
 * The values of a field. A known field has the value that the tree shows; if it has none, the record is searched for a
 * field of that name.
 */
export function filterValues(subject: FilterSubject, field: string): readonly string[] {
  const name = field.toLowerCase();
  const known = Object.hasOwn(read, name) ? read[name] : read[synonyms[name] ?? ""];
  const values = known?.(subject) ?? recordValues(subject.server.record, field);
  const present = values.filter((value) => value !== undefined && value !== "");
  if (present.length > 0 || known === undefined || name === "is" || name === "profile")
    return present.filter(isText);
  return recordValues(subject.server.record, field);
}

/** Cached texts of servers for as long as they are listed, because every letter of a filter searches all of them. */
const serverFields = new WeakMap<Server, string>();

/** The text that free-text terms are searched in: everything that a row shows or a screen reader reads. */
export function freeTextOf(subject: FilterSubject): string {
  const { server, mark } = subject;
  const own =
    serverFields.get(server) ??
    joinTexts(subject, ["name", "id", "status", "gpu", "region", "address", "tag"]);
  serverFields.set(server, own);
  return mark === undefined ? own : `${own}\n${joinTexts(subject, ["alias", "note"])}`;
}

function joinTexts(subject: FilterSubject, fields: readonly string[]): string {
  const unmarked = { ...subject, mark: undefined };
  const values = fields.flatMap((field) => read[field]?.(field === "name" ? unmarked : subject) ?? []);
  return values.filter(isText).join("\n").toLowerCase();
}

function text(fact: Server["name"]): string | undefined {
  return fact === undefined ? undefined : factText(fact);
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
