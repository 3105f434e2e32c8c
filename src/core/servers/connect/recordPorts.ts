import { t } from "@vscode/l10n";
import { secretName } from "../../account/secrets/secretNames.ts";
import { isRecord } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";
import { routeAdvice } from "../../kernel/localNetwork.ts";
import { fieldName } from "../fieldName.ts";
import type { Server } from "../server.ts";
import { factText } from "../serverLabels.ts";

/** The outcome of an attempt to connect to a port. */
export type PortState = "open" | "refused" | "silent" | "unknownName" | "unreachable" | "failed";

const codes: Readonly<Record<string, PortState>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "refused",
  ETIMEDOUT: "silent",
  ENOTFOUND: "unknownName",
  EAI_AGAIN: "unknownName",
  EAI_NODATA: "unknownName",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
};

/** @param code The code of a Node error. */
export function portStateOf(code: string): PortState {
  return (Object.hasOwn(codes, code) ? codes[code] : undefined) ?? "failed";
}

/** A sentence that explains why the port can't be reached, and what may help. */
export function portMessage(
  state: Exclude<PortState, "open">,
  host: string,
  port: number,
  isPrivate: boolean,
  platform: string,
): string {
  const sentence = sentences[state](host, port, platform);
  return isPrivate
    ? `${sentence} ${t("This is a private address. It may require a VPN or a jump host.")}`
    : sentence;
}

const sentences: Readonly<
  Record<Exclude<PortState, "open">, (host: string, port: number, platform: string) => string>
> = {
  refused: (host, port) =>
    t(
      "{0} is reachable, but nothing is listening on port {1}: the service may not be running yet, or may use another port.",
      host,
      String(port),
    ),
  silent: (host, port) =>
    t(
      "Port {1} of {0} isn't responding. The server may be off, or a firewall may block the connection.",
      host,
      String(port),
    ),
  unknownName: (host) =>
    t("{0} can't be resolved. The server may no longer exist, or its name may require a VPN.", host),
  unreachable: (host, _, platform) =>
    `${t("{0} can't be reached: no route to its network.", host)} ${routeAdvice(host, platform)}`,
  failed: (host, port) => t("Port {1} of {0} can't be reached.", host, String(port)),
};

/** A port found in a record. */
export interface RecordPort {
  /** The port to connect to from outside. */
  readonly port: number;
  /** The port inside the machine, if the record distinguishes it. */
  readonly inner: number | undefined;
  /**
   * The service on the port according to the record: `http`, `ssh`, `jupyter`; lower-case letters and digits, or empty.
   */
  readonly service: string;
  /** What the record calls it beside the protocol, in the same form. */
  readonly name?: string | undefined;
  /** Its location in the record, such as `ports[0]`. */
  readonly source: string;
  /** The address on which it is open, if the record names one; empty if that isn't an address. */
  readonly host?: string;
}

const maxDepth = 5;
const maxEntries = 50;
const maxPorts = 100;
const listName =
  /^(?!(?:sup|trans|im|ex|re|pass)ports?$).*ports?(?:mappings?|maps?|forwards?|forwardings?|bindings?)?$/;
const mayNamePort = /port/i;
const outerNames = ["publicport", "externalport", "hostport", "outerport", "public", "external", "nodeport"];
const innerNames = ["privateport", "internalport", "containerport", "innerport", "targetport", "target"];
const serviceNames = ["type", "protocol", "scheme", "name", "service", "label", "description", "appprotocol"];

const hostNames = ["ip", "hostip", "publicip", "externalip", "ipaddress", "host", "hostname", "address"];
const visibility = ["isippublic", "ispublic", "public"];

/** Every port in the record, in fields, lists and maps at any depth. The outer port wins if both are given. */
export function recordPorts(record: unknown): readonly RecordPort[] {
  const found: RecordPort[] = [];
  search(record, "", 0, found);
  // `ports: ["22/tcp"]` next to `portMappings: {"22": 10341}` means the same port.
  const outer = new Map(
    found.flatMap((each) => (each.inner === undefined ? [] : [[each.inner, each] as const])),
  );
  const merged = new Map<string, RecordPort>();
  for (const each of found) {
    const mapped = each.inner === undefined ? outer.get(each.port) : undefined;
    const whole = mapped === undefined ? each : { ...mapped, service: mapped.service || each.service };
    const place = `${whole.host ?? ""} ${whole.port}`;
    const earlier = merged.get(place);
    const service = earlier === undefined || earlier.service === "" ? whole.service : earlier.service;
    merged.set(place, { ...whole, ...earlier, service, inner: earlier?.inner ?? whole.inner });
  }
  return [...merged.values()];
}

/** A port in any JSON form: a number from 1 to 65535, or a text that contains one. */
export function readPort(value: unknown): number | undefined {
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}

function search(value: unknown, path: string, depth: number, found: RecordPort[]): void {
  if (depth > maxDepth || found.length >= maxPorts) return;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.slice(0, maxEntries);
    for (const [index, item] of items.entries()) search(item, `${path}[${index}]`, depth + 1, found);
    return;
  }
  if (!isRecord(value)) return;
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const isNested = typeof inner === "object" && inner !== null;
    // Most fields are neither, so they are skipped as cheaply as possible.
    if ((!isNested && !mayNamePort.test(name)) || secretName(name) !== undefined) continue;
    if (found.length >= maxPorts) return;
    const source = path === "" ? name : `${path}.${name}`;
    const plain = fieldName(name);
    if (!listName.test(plain)) search(inner, source, depth + 1, found);
    else if (plain === "port" && !isNested && path !== "") addOwnPort(value, path, found);
    else if (Array.isArray(inner)) readList(inner, source, found);
    else if (isRecord(inner)) readMap(inner, source, found);
    else addField(plain, value, source, found);
  }
}

/** `jupyter: {"host": "203.0.113.7", "port": 8888}` */
function addOwnPort(record: JsonRecord, path: string, found: RecordPort[]): void {
  const entry = readEntry(record, `${path}.port`);
  const around = serviceWord(path.slice(path.lastIndexOf(".") + 1).split("[", 1)[0] ?? "");
  if (entry !== undefined) found.push({ ...entry, service: entry.service || around });
}

/** `jupyter_port: 8888`, `port: "8000"`, and `proxy_port: 2022` beside `proxy_ip`. */
function addField(plain: string, record: JsonRecord, source: string, found: RecordPort[]): void {
  const fields = new Map(Object.entries(record).map(([name, value]) => [fieldName(name), value]));
  const port = readPort(fields.get(plain));
  const service = /^(.*?)(?:public|external|host)?port$/.exec(plain)?.[1];
  if (port === undefined || service === undefined || /^(?:private|internal|container|target)$/.test(service))
    return;
  const own = service === "" ? undefined : namedHost(fields, service);
  found.push({ port, inner: undefined, service: serviceWord(service), source, ...hostOf(own) });
}

/** The host in the fields whose names begin with this word. */
function namedHost(fields: ReadonlyMap<string, unknown>, stem = ""): string | undefined {
  return hostNames.map((name) => fields.get(stem + name)).find((value) => typeof value === "string");
}

function readList(list: readonly unknown[], path: string, found: RecordPort[]): void {
  for (const [index, entry] of list.slice(0, maxEntries).entries()) {
    const source = `${path}[${index}]`;
    const port = isRecord(entry) ? readEntry(entry, source) : readText(entry, source);
    if (port !== undefined) found.push(port);
    // An entry that only names ports, or contains a list of them.
    else search(entry, source, maxDepth - 1, found);
  }
}

/** `{"22": 10341}`, also the other way around, `{"jupyter": 8888}`, `{"8080/tcp": [{"HostPort": "41234"}]}`. */
function readMap(map: JsonRecord, path: string, found: RecordPort[]): void {
  const single = readEntry(map, path);
  if (single !== undefined) return void found.push(single);
  const entries = Object.entries(map).slice(0, maxEntries);
  const isReversed = entries.some(([, value]) => readPort(value) === 22) && map["22"] === undefined;
  for (const [name, value] of entries) {
    const [, digits, protocol] = /^(\d{1,5})(?:\/(\w{1,10}))?$/.exec(name) ?? [];
    const inner = readPort(digits);
    const service = serviceWord(inner === undefined ? name : (protocol ?? ""));
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const entry = isRecord(first) ? readEntry(first, path) : undefined;
    const port = entry?.port ?? readPort(first);
    const source = `${path}.${name}`;
    const host = entry?.host === undefined ? {} : { host: entry.host };
    const [outer, own] = isReversed && inner !== undefined ? [inner, port] : [port, inner];
    if (outer !== undefined)
      found.push({
        ...{ port: outer, inner: own, source, ...host },
        service: service || (entry?.service ?? ""),
      });
  }
}

/** `8888`, `"8888/http"`, `"8080:80/tcp"`, `"0.0.0.0:8080->80/tcp"`. */
function readText(entry: unknown, source: string): RecordPort | undefined {
  const plain = readPort(entry);
  if (plain !== undefined) return { port: plain, inner: undefined, service: "", source };
  if (typeof entry !== "string" || entry.length > 80) return undefined;
  const match =
    /^(?:([0-9.]{7,15}|\[[0-9a-f:]{2,40}\]|::):)?(\d{1,5})(?:(?:->|:)(\d{1,5}))?(?:\/(\w{1,10}))?$/i.exec(
      entry.trim(),
    );
  const port = readPort(match?.[2]);
  if (match === null || port === undefined) return undefined;
  const host = hostOf(match[1]);
  return { port, inner: readPort(match[3]), service: serviceWord(match[4] ?? ""), source, ...host };
}

function readEntry(entry: JsonRecord, source: string): RecordPort | undefined {
  const fields = new Map(Object.entries(entry).map(([name, value]) => [fieldName(name), value]));
  const first = (names: readonly string[]): number | undefined =>
    names.map((name) => readPort(fields.get(name))).find((port) => port !== undefined);
  const inner = first(innerNames);
  const port = first(outerNames) ?? readPort(fields.get("port")) ?? inner;
  if (port === undefined) return undefined;
  const words = serviceNames.map((name) => fields.get(name)).filter((value) => typeof value === "string");
  const services = words.map(serviceWord).filter((word) => word !== "");
  const named = namedHost(fields);
  const isPrivate = visibility.some((name) => fields.get(name) === false);
  const host = isPrivate ? { host: "" } : hostOf(named);
  const [service = ""] = services;
  const name = services.find((word) => !/^https?$/.test(word));
  return { port, inner: inner === port ? undefined : inner, service, name, source, ...host };
}

/** An address that stands for all of the server's addresses is none of its own. */
function hostOf(text: string | undefined): Pick<RecordPort, "host"> {
  const host = text?.trim().replace(/^\[|\]$/g, "") ?? "";
  if (/^(?:|\*|0\.0\.0\.0|::)$/.test(host)) return {};
  return { host: /^[A-Za-z0-9.:-]{1,253}$/.test(host) && !loopback.test(host) ? host : "" };
}

const loopback = /^(?:127\.|::1$|localhost$)/i;
/** Addresses that can't be reached from other networks. */
const inside =
  /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd]|fe80:)/i;

/**
 * The host at which the port is reached: its own one, or that of the server if the record doesn't name one. Undefined if
 * it is open inside the server or its network only.
 */
export function portHost(
  { host }: RecordPort,
  { address, isPrivateAddress }: Pick<Server, "address" | "isPrivateAddress">,
): string | undefined {
  if (host === undefined || host === address?.value) return address?.value;
  return host === "" || (inside.test(host) && isPrivateAddress !== true) ? undefined : host;
}

/** The word for a service; the name of a transport doesn't count. */
function serviceWord(text: string): string {
  const word = fieldName(text.slice(0, 40))
    .replace(/[^a-z0-9]/g, "")
    .slice(0, 20);
  return /^(?:tcp|udp|tcp4|tcp6|public|private|ingress|inbound|forward|nat)?$/.test(word) ? "" : word;
}

/** Every address of a server in displayable form, the primary one first. */
export function serverAddresses({ address, otherAddresses }: Server): readonly string[] {
  if (address === undefined) return [];
  const first = factText(address);
  return [first, ...(otherAddresses ?? []).filter((other) => other !== first)];
}
