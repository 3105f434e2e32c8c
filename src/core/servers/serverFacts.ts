import { t } from "@vscode/l10n";
import { formatAge, formatDate } from "../kernel/formatTime.ts";
import { mayRun, serverStatuses } from "./server.ts";
import type { Server, ServerFact } from "./server.ts";
import { formatPrice, priceForm, priceOrder, withShownPrice } from "./serverPrice.ts";
import { factText, serverName, statusLabels, statusText } from "./serverLabels.ts";

/** The facts of a server: the members of `Server` that say where in the record they were read. */
export type FactName = {
  [K in keyof Server]-?: Server[K] extends ServerFact | undefined ? K : never;
}[keyof Server];

/** What a value of one kind looks like. */
export interface FactForm {
  /** The form of a value that a model may see. */
  readonly form: RegExp;
  /** Whether the form consists of what looks random. */
  readonly mayBeRandom?: true;
}

/** The kinds of values. */
export const factKinds = {
  name: { form: /^[\p{L}\p{N}][\p{L}\p{N} ._:()/#+@*-]{0,119}$/u },
  id: { form: /^[\w.:/-]{1,160}$/, mayBeRandom: true },
  word: { form: /^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,39}$/u },
  gpu: { form: /^[\p{L}\p{N}][\p{L}\p{N} .,×()/+_®™-]{0,79}$/u },
  count: { form: /^\d{1,6}$/ },
  percent: { form: /^\d{1,3}%$/ },
  place: { form: /^[\p{L}\p{N}][\p{L}\p{N} ,.()/_-]{0,79}$/u },
  address: {
    form: /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{2,39}|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8})$/i,
    mayBeRandom: true,
  },
  /** An ISO date. */
  time: { form: /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/ },
  /** How long something has lasted. */
  seconds: { form: /^\d{1,12}$/ },
  /** Written as `serverPrice.ts` does. */
  price: { form: priceForm },
} as const satisfies Readonly<Record<string, FactForm>>;

/** A kind of value. */
export type FactKind = keyof typeof factKinds;

/**
 * The displayable content of a cell: secrets masked, on one line, empty if nothing is known. A number is a time: in
 * milliseconds since 1970 or, if negative, how long something has lasted.
 */
export type Cell = string | number;

/** A group to which a server belongs. */
export interface GroupName {
  /** The same in every language; empty for servers without one. */
  readonly key: string;
  readonly label: string;
}

/** Everything that is specific to one fact. */
export interface FactEntry {
  /** The label of the fact, of this server or in general. */
  readonly label: (server?: Server) => string;
  readonly kind: FactKind;
  /**
   * The names of fields with this fact, as returned by `fieldName`, best first. Facts without any are read by a
   * function of their own in `readServer.ts`.
   */
  readonly fields?: readonly string[];
  /** The names of objects in a record that have these fields, too. */
  readonly inside?: readonly string[];
  /** Names of fields that are read if no other has the fact. */
  readonly lastFields?: readonly string[];
  /** The word for columns, filters, orders and groups. The name of the fact unless given. */
  readonly word?: string;
  /** Other words for it in filters. */
  readonly synonyms?: readonly string[];
  /**
   * Where it is shown besides the table: in rows, only read by screen readers, only in tooltips and details, or not at
   * all. Servers can also be sorted by what rows show, and by what they can be grouped by.
   */
  readonly shown: "title" | "row" | "spoken" | "tooltip" | "never";
  /** The usual columns are shown if a server has a value. */
  readonly column: "usual" | "never";
  /** The column's heading, if it differs from the label. */
  readonly heading?: () => string;
  /** If servers can be grouped by it: the group's icon, and the name of the group of all others. */
  readonly group?: { readonly icon: string; readonly none: () => string };
  /** Whether a model receives it in lists, too, or only with all that is known about one server. */
  readonly model: "list" | "details" | "never";
  /** For models: what the input of `list_servers` that filters by it does. */
  readonly input?: string;
  /** What a cell of the table shows, if not the fact alone. */
  readonly cell?: (server: Server) => Cell;
  /** What a filter compares, if not the fact alone. */
  readonly values?: (server: Server) => readonly string[];
  /** What servers are sorted by, if not by the fact alone. */
  readonly order?: (server: Server) => string | number;
  /** The group of a server, if not named after the fact. */
  readonly groupOf?: (server: Server) => GroupName;
}

const words = (text: string): readonly string[] => text.split(" ");
/** The names that consist of one of the stems and one of the endings. */
const each = (stems: string, endings: string): readonly string[] =>
  words(stems).flatMap((stem) => words(endings).map((ending) => stem + ending));

/** What clouds call a server. */
const things = "server instance vm virtualmachine node pod device machine container";

/** Objects that describe the server itself, not its image, its disk or its owner. */
const ownObjects = words(
  "metadata runtime instance server machine vm node pod lifecycle attributes properties timestamps times info details " +
    "state status",
);

/**
 * What is known about servers. Readers, labels, columns, the filter language, orders, groups, tooltips, mappings, stored
 * lists, the tools of agents and what a model receives follow from this table.
 */
export const serverFacts = {
  name: {
    label: () => t("Name"),
    kind: "name",
    fields: [
      ...words("name displayname"),
      ...each(things, "name"),
      ...words("label title hostname nickname alias aliasname friendlyname computername fqdn names"),
    ],
    // Used only if nothing else names the server, not even a tag.
    lastFields: ["description"],
    shown: "title",
    column: "usual",
    model: "list",
    cell: serverName,
  },
  id: {
    label: () => t("ID"),
    kind: "id",
    fields: [
      // The service's own ID of the server comes before a number of the underlying machine.
      ...words("id instanceid serverid vmid uuid uid"),
      ...each(things, "id uuid number no"),
      ...each("droplet linode rental contract deployment workspace sub computeinstance", "id"),
      ...words("guid ocid resourceid identifier hashid arn systemid hostid"),
      // The reference itself, such as `{"vm": "vm-42", "name": …}`.
      ...words("vm instance server"),
    ],
    shown: "tooltip",
    column: "never",
    model: "list",
  },
  statusText: {
    label: () => t("Status"),
    kind: "word",
    word: "status",
    synonyms: ["state"],
    shown: "row",
    column: "usual",
    model: "list",
    cell: statusText,
    values: (server) => [server.status, factText(server.statusText)],
    order: ({ status }) => serverStatuses.indexOf(status),
    groupOf: ({ status }) => ({ key: status, label: statusLabels[status]() }),
    group: { icon: "", none: () => statusLabels.unknown() },
  },
  statusReason: {
    label: () => t("Reason"),
    kind: "word",
    fields: words(
      "statusmessage statusmsg statusreason statusdetail statusdetails statusdescription statereason statemessage " +
        "statedetail failurereason failuremessage faultmessage errormessage errorreason lasterror provisioningmessage message",
    ),
    inside: words("status fault error state statereason lasterror lifecycle"),
    word: "reason",
    shown: "tooltip",
    column: "never",
    model: "never",
  },
  statusSince: {
    label: () => t("In this state since"),
    kind: "time",
    fields: words(
      "statuschangedat statechangedat statusupdatedat laststatuschangedat laststatuschange laststatechange " +
        "lasttransitiontime statussince statesince statetransitiontime",
    ),
    inside: ownObjects,
    word: "since",
    shown: "tooltip",
    column: "never",
    model: "details",
  },
  gpuUse: {
    label: () => t("GPU use"),
    kind: "percent",
    // Filters compare numbers.
    values: ({ gpuUse }) => [factText(gpuUse).replace("%", "")],
    order: ({ gpuUse }) => (gpuUse === undefined ? "" : Number.parseInt(gpuUse.value, 10)),
    shown: "row",
    column: "never",
    model: "list",
  },
  price: {
    label: () => t("Price"),
    kind: "price",
    synonyms: ["cost"],
    cell: (server) => formatPrice(withShownPrice(server)),
    values: (server) => [priceOrder(withShownPrice(server)).amount, formatPrice(withShownPrice(server))],
    order: (server) => priceOrder(withShownPrice(server)).order,
    shown: "row",
    column: "usual",
    model: "list",
  },
  costNow: {
    label: () => t("Cost now"),
    kind: "price",
    cell: (server) => formatPrice({ ...server, price: server.costNow }),
    shown: "tooltip",
    column: "never",
    model: "details",
  },
  gpu: {
    label: () => t("GPU"),
    kind: "gpu",
    shown: "row",
    column: "usual",
    model: "list",
    input: "Only servers with this type of GPU, such as H100.",
    // Keyboards have no “×”.
    values: ({ gpu, gpuModel }) => [factText(gpu).replaceAll(" × ", "x "), factText(gpuModel)],
    order: ({ gpu, gpuModel, gpuCount }) =>
      gpuModel === undefined ? factText(gpu) : `${factText(gpuModel)} × ${factText(gpuCount) || "0"}`,
    groupOf: ({ gpu, gpuModel }) => ({ key: factText(gpuModel ?? gpu), label: factText(gpuModel ?? gpu) }),
    group: { icon: "chip", none: () => t("Unknown GPU") },
  },
  gpuModel: {
    label: () => t("GPU model"),
    kind: "gpu",
    shown: "never",
    column: "never",
    model: "never",
  },
  gpuCount: {
    label: () => t("GPUs"),
    kind: "count",
    word: "gpus",
    synonyms: ["gpucount"],
    shown: "never",
    column: "never",
    model: "list",
  },
  type: {
    label: () => t("Type"),
    kind: "place",
    fields: words(
      "instancetype machinetype servertype vmsize sizeslug commercialtype flavor flavour flavorname size plan sku product " +
        "productname",
    ),
    inside: words("attributes properties instance"),
    lastFields: ["type"],
    synonyms: ["flavor", "plan"],
    shown: "tooltip",
    column: "never",
    model: "details",
  },
  region: {
    label: () => t("Region"),
    kind: "place",
    fields: each(
      "region zone availabilityzone availabilitydomain az location datacenter dc datacentre facility site metro " +
        "geolocation placement pop campus idc area",
      " name code slug id",
    ),
    inside: words("placement environment machine host hardware cluster labels offer"),
    lastFields: words("regions zones country countrycode city"),
    synonyms: ["zone", "location"],
    shown: "spoken",
    column: "usual",
    model: "list",
    input: "Only servers in this region, such as eu-west.",
    group: { icon: "globe", none: () => t("Unknown region") },
  },
  address: {
    label: (server) => (server?.isPrivateAddress === true ? t("Private address") : t("Address")),
    kind: "address",
    synonyms: ["ip"],
    shown: "spoken",
    column: "usual",
    // All addresses together are in `modelFacts.ts`.
    model: "never",
  },
  startedAt: {
    label: () => t("Running since"),
    kind: "time",
    fields: words(
      "started startedat startedon starttime starttimestamp laststartedat laststarttime laststarttimestamp dtlaststarted " +
        "launchedat launchtime boottime bootedat lastbootedat runningsince activatedat activesince activeat",
    ),
    inside: ownObjects,
    word: "started",
    shown: "tooltip",
    column: "never",
    model: "details",
  },
  uptimeSeconds: {
    label: () => t("Uptime"),
    kind: "seconds",
    fields: each("uptime uptimein", " seconds secs sec minutes mins min hours ms"),
    inside: ownObjects,
    word: "uptime",
    cell: uptimeCell,
    shown: "never",
    column: "usual",
    model: "details",
  },
  billedSince: {
    label: () => t("Billed since"),
    kind: "time",
    fields: words(
      "billedsince billedfrom billingsince billingstart billingstarttime billingstartat billingstartedat chargedsince " +
        "chargestarttime",
    ),
    inside: ownObjects,
    word: "billed",
    shown: "tooltip",
    column: "never",
    model: "details",
  },
  createdAt: {
    label: () => t("Created"),
    kind: "time",
    fields: words(
      "created createdat createdon createdate createddate createdtime createtime createtimestamp creationtime " +
        "creationdate creationtimestamp datecreated timecreated dtcreated dateadded",
    ),
    // The beginning of a contract: the server may have been started later.
    lastFields: ["startdate"],
    inside: ownObjects,
    word: "created",
    heading: () => t("Age"),
    shown: "tooltip",
    column: "usual",
    model: "details",
  },
} as const satisfies Readonly<Record<FactName, FactEntry>>;

/** The facts in the order of the table. */
export const factNames = Object.keys(serverFacts).filter(isFactName);

/** Whether there is a fact of this name. */
function isFactName(name: string): name is FactName {
  return Object.hasOwn(serverFacts, name);
}

/** The properties of a fact, without those of the others that have none of them. */
export function factEntry(name: FactName): FactEntry {
  return serverFacts[name];
}

/** The content of a cell with this fact. */
export function factCell({ kind, cell }: FactEntry, name: FactName, server: Server): Cell {
  if (cell !== undefined) return cell(server);
  const fact = server[name];
  if (fact === undefined) return "";
  return kind === "time"
    ? Date.parse(fact.value)
    : kind === "seconds"
      ? -1_000 * Number(fact.value)
      : factText(fact);
}

/** A stopped server has no uptime, because records report the end of its last run in too many ways. */
function uptimeCell({ status, startedAt, uptimeSeconds }: Server): Cell {
  if (!mayRun({ status })) return "";
  if (startedAt !== undefined) return Date.parse(startedAt.value);
  return uptimeSeconds === undefined ? "" : -1_000 * Number(uptimeSeconds.value);
}

/** What tooltips and details show, so all that is shown anywhere. */
export const tooltipPlaces = ["title", "row", "spoken", "tooltip"] as const;

interface ShownFact {
  readonly name: FactName;
  readonly label: string;
  readonly text: string;
  /** Where it was read. */
  readonly source: string;
}

/** The facts that are shown in these places, in displayable form. */
export function shownFacts(
  server: Server,
  places: readonly FactEntry["shown"][],
  maxLength?: number,
): readonly ShownFact[] {
  return factNames.flatMap((name) => {
    const { shown, label, kind } = factEntry(name);
    const fact = server[name];
    if (fact === undefined || !places.includes(shown)) return [];
    const text =
      kind === "time"
        ? formatDate(Date.parse(fact.value))
        : kind === "seconds"
          ? formatAge(1_000 * Number(fact.value))
          : kind === "price"
            ? formatPrice({ ...server, price: fact })
            : factText(fact, maxLength);
    return [{ name, label: label(server), text, source: fact.source }];
  });
}
