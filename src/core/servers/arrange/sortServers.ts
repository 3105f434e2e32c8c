import type { Server, ServerStatus } from "../server.ts";
import type { ServerAnnotation } from "../marks/serverAnnotation.ts";
import { factText, serverName } from "../serverLabels.ts";
import type { Arrangement } from "./arrangement.ts";

/** What is sorted: a server, its mark and its place in the gateway's order. */
export interface Sortable {
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  readonly position: number;
}

const urgency: Readonly<Record<ServerStatus, number>> = {
  error: 0,
  starting: 1,
  stopping: 2,
  running: 3,
  stopped: 4,
  unknown: 5,
};

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of an arrangement. Pinned servers always come first; what is equal stays in the gateway's order. */
export function createOrder({
  sortBy,
  isDescending,
}: Arrangement): (first: Sortable, second: Sortable) => number {
  const compare = comparisons[sortBy];
  const sign = isDescending ? -1 : 1;
  return (first, second) =>
    Number(second.mark?.isPinned ?? false) - Number(first.mark?.isPinned ?? false) ||
    sign * compare(first, second) ||
    first.position - second.position;
}

const comparisons: Readonly<Record<Arrangement["sortBy"], (first: Sortable, second: Sortable) => number>> = {
  gateway: (first, second) => first.position - second.position,
  name: (first, second) => collator.compare(nameOf(first), nameOf(second)),
  status: (first, second) => urgency[first.server.status] - urgency[second.server.status],
  region: (first, second) => compareTexts(first.server.region, second.server.region),
  gpu: (first, second) =>
    compareTexts(first.server.gpuModel ?? first.server.gpu, second.server.gpuModel ?? second.server.gpu) ||
    countOf(first) - countOf(second),
};

function nameOf({ server, mark }: Sortable): string {
  return mark?.alias ?? serverName(server);
}

/** What has no value comes last. */
function compareTexts(first: Server["name"], second: Server["name"]): number {
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  return collator.compare(factText(first), factText(second));
}

function countOf({ server }: Sortable): number {
  return Number(server.gpuCount?.value ?? 0) || 0;
}
