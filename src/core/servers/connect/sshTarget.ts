import { isRecord, parseJson, stringField } from "../../kernel/json.ts";
import { fieldName } from "../fieldName.ts";
import type { Server } from "../server.ts";
import { portHost, readPort, recordPorts } from "./recordPorts.ts";

/**
 * The SSH address of a server, all of it from one source. Each part consists of harmless characters only, because it
 * becomes part of a command line.
 */
export interface SshTarget {
  readonly host: string;
  readonly user: string | undefined;
  /** Undefined if the source doesn't name one: then the user's own SSH configuration decides, and otherwise it is 22. */
  readonly port: number | undefined;
}

const hostPattern = /^(?!-)[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/;
const userPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** The parts with which ssh is safe to run; undefined if the host or the user isn't. */
function safeTarget(host: string, user: string | undefined, port: number | undefined): SshTarget | undefined {
  const isSafe = hostPattern.test(host) && (user === undefined || userPattern.test(user));
  return isSafe ? { host, user, port } : undefined;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const hostNames = names(
  "host hostname address addr ip ipaddress publicip publicipaddress ipv4 domain fqdn server",
);
const portNames = names("port portnumber externalport publicport hostport");
const userNames = names("user username login loginuser");
const textNames = names(
  " access cmd command connect connection connectcommand connectioncommand connectionstring endpoint login str string uri url",
);
/** Users of a server's own address, which a record may name next to it. */
const defaultUsers = names("defaultuser defaultusername loginuser username user");
/** Objects about somebody else, or about another machine. */
const foreign = /creator|owner|account|customer|created|bastion|jump|proxy|registry|database/i;

/** What one object of the record says about SSH. */
interface SshSource {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  /** A whole command, or a URL. */
  readonly text: string | undefined;
}

/**
 * A whole command comes first, then an object with a host, a mapped port with its own address, and the server's own
 * address. Undefined if none of them is safe in a command.
 */
export function sshTargetOf(server: Server): SshTarget | undefined {
  const { address, record } = server;
  const sources: SshSource[] = [];
  collect(record, "", 0, sources);
  for (const { text } of sources) {
    const target = text === undefined ? undefined : readSshText(text);
    if (target !== undefined) return target;
  }
  for (const { host, user, port } of sources) {
    const target = host === undefined ? undefined : safeTarget(host, safeUser(user), port);
    if (target !== undefined) return target;
  }
  if (address === undefined) return undefined;
  // The rest describes the server at its own address.
  const own = sources.filter(({ host }) => host === undefined);
  const port = own.find((source) => source.port !== undefined)?.port;
  const user = own.map((source) => safeUser(source.user)).find((each) => each !== undefined);
  // Fields such as `ssh_port` are read above, with the object that they are in.
  const ports = recordPorts(record).filter(({ source }) => !/port$/i.test(source));
  const mapped =
    ports.find(({ inner }) => inner === (port ?? 22)) ?? ports.find(({ service }) => service === "ssh");
  if (mapped === undefined || (port !== undefined && mapped.inner !== port))
    return safeTarget(address.value, user, port);
  const host = portHost(mapped, server);
  return host === undefined
    ? safeTarget(address.value, user, undefined)
    : safeTarget(host, user, mapped.port);
}

function safeUser(user: string | undefined): string | undefined {
  return user !== undefined && userPattern.test(user) ? user : undefined;
}

/** The sources of the record, the outer ones first. */
function collect(value: unknown, name: string, depth: number, sources: SshSource[]): void {
  if (Array.isArray(value)) {
    for (const item of value.slice(0, 20)) collect(item, name, depth, sources);
    return;
  }
  if (!isRecord(value) || depth > 3) return;
  const source = readSource(value, fieldName(name), depth);
  if (source !== undefined) sources.push(source);
  for (const [inner, member] of Object.entries(value)) {
    if (typeof member === "object" && !foreign.test(inner)) collect(member, inner, depth + 1, sources);
  }
}

function readSource(
  record: Readonly<Record<string, unknown>>,
  name: string,
  depth: number,
): SshSource | undefined {
  const isSsh = name.includes("ssh");
  // An entry of a list of services; port mappings are read with their own addresses.
  const isService = ["type", "protocol", "kind", "service", "name"].some((field) => record[field] === "ssh");
  const isEntry =
    isService &&
    !Object.keys(record).some((field) => /private|public|internal|external|container|node/i.test(field));
  const source: { -readonly [K in keyof SshSource]: SshSource[K] } = {
    ...{ host: undefined, port: undefined, user: undefined, text: undefined },
  };
  // What is named after SSH itself comes first.
  const fields = Object.entries(record).toSorted(
    ([a], [b]) => Number(/ssh/i.test(b)) - Number(/ssh/i.test(a)),
  );
  for (const [field, value] of fields) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const plain = fieldName(field);
    const hasWord = plain.includes("ssh");
    const role = plain.replace("ssh", "");
    const text = String(value).trim();
    if (text === "" || text.length > 400) continue;
    const isUser = hasWord
      ? userNames.has(role) || defaultUsers.has(role)
      : depth < 2 && defaultUsers.has(plain);
    const isText = hasWord ? /\s|@|:\/\/|:\d{1,5}$/.test(text) : /^ssh(?:\s|:\/\/)/.test(text);
    if (isText && (textNames.has(role) || hostNames.has(role))) source.text ??= text;
    else if (isUser || (isSsh && userNames.has(role))) source.user ??= text;
    if (!isSsh && !hasWord && !isEntry) continue;
    if (hostNames.has(role) && hostPattern.test(text)) source.host ??= text;
    if (portNames.has(role)) source.port ??= readPort(value);
    if (isEntry && userNames.has(role)) source.user ??= text;
  }
  if (isEntry && !isSsh && source.host === undefined) return undefined;
  const isAny = Object.values(source).some((part) => part !== undefined);
  return isAny ? source : undefined;
}

/**
 * `ssh -p 2222 root@203.0.113.7`.
 * @param keyAlias The name under which the server's key is stored, if it isn't its address.
 */
export function sshCommand({ host, user, port }: SshTarget, keyAlias?: string): string {
  const target = user === undefined ? host : `${user}@${host}`;
  const key = keyAlias === undefined ? "" : `-o HostKeyAlias=${keyAlias} -o CheckHostIP=no `;
  return port === undefined ? `ssh ${key}${target}` : `ssh ${key}-p ${port} ${target}`;
}

/** Names in the user's own SSH configuration may contain underscores. */
const aliasPattern = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,252}$/;

/**
 * The host of a Remote-SSH window, as the user's own SSH configuration knows it, by the authority of what is open there;
 * undefined for other windows. What a plain authority can't contain, such as capital letters, comes as JSON in
 * hexadecimal.
 */
export function windowTarget(authority: string): SshTarget | undefined {
  const name = /^ssh-remote\+(.{1,1000})$/i.exec(authority)?.[1];
  if (name === undefined) return undefined;
  const codes = /^7b(?:[\da-f]{2})+$/i.test(name) ? (name.match(/../g) ?? []) : [];
  const coded = parseJson(String.fromCharCode(...codes.map((code) => parseInt(code, 16))));
  const [, typedUser, typedHost = "", typedPort] = /^(?:([^@]+)@)?(.+?)(?::(\d{1,5}))?$/.exec(name) ?? [];
  const { host, user, port } = isRecord(coded)
    ? { host: stringField(coded, "hostName") ?? "", user: stringField(coded, "user"), port: coded["port"] }
    : { host: typedHost, user: typedUser, port: typedPort };
  const isSafe = aliasPattern.test(host) && (user === undefined || userPattern.test(user));
  return isSafe ? { host, user, port: readPort(port) } : undefined;
}

/** Options without an argument that change neither where the connection leads nor what runs there. */
const flags = new Set("46AaCfNnqTtvXxY");
/** Options with an argument that only this machine needs. */
const ownOptions = new Set("iLDR");
/** Settings that can be left out, in lower case. */
const ownSettings = new Set(
  (
    "addressfamily addkeystoagent compression connectionattempts connecttimeout exitonforwardfailure forwardagent " +
    "forwardx11 hashknownhosts identitiesonly identityfile kbdinteractiveauthentication loglevel passwordauthentication " +
    "preferredauthentications pubkeyauthentication requesttty serveralivecountmax serveraliveinterval " +
    "stricthostkeychecking tcpkeepalive updatehostkeys userknownhostsfile globalknownhostsfile checkhostip " +
    "hostkeyalgorithms pubkeyacceptedalgorithms pubkeyacceptedkeytypes batchmode visualhostkey"
  ).split(" "),
);

/** The command while it is read. */
interface Reading {
  destination?: string;
  user?: string;
  port?: number | undefined;
}

/**
 * The address in a command (`ssh -p 41234 -i ~/.ssh/key root@ssh5.example`), in the same without the program, or in a
 * URL (`ssh://root@203.0.113.9:41822`). Undefined for anything else, and for options that lead elsewhere or run
 * something, such as `ProxyCommand`.
 */
function readSshText(text: string): SshTarget | undefined {
  if (text.length > 400) return undefined;
  const words = (text.trim().match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/["']/g, ""),
  );
  if (words[0] === "ssh") words.shift();
  const reading: Reading = {};
  while (words.length > 0) if (!readWord(words, reading)) return undefined;
  const url = /^ssh:\/\/(?:([^\s@:/]+)(?::[^\s@/]*)?@)?(\[[0-9a-f:.]+\]|[^\s@:/[\]]+)(?::(\d{1,5}))?\/?$/i;
  const short =
    /^(?:([^\s@]+)@)?(\[[0-9a-f:.]+\]|[^\s@:[\]]+|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?::(\d{1,5}))?$/i;
  const destination = reading.destination ?? "";
  const [, user, host, port] = url.exec(destination) ?? short.exec(destination) ?? [];
  if (host === undefined) return undefined;
  const bare = host.replace(/^\[|\]$/g, "");
  return safeTarget(bare, reading.user ?? user, reading.port ?? readPort(port));
}

/** Takes an option with its argument, or the destination. False if the command can't be represented. */
function readWord(words: string[], reading: Reading): boolean {
  const word = words.shift() ?? "";
  if (!word.startsWith("-")) {
    // A second one is a command for the server.
    if (reading.destination !== undefined) return false;
    reading.destination = word;
    return true;
  }
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    if (flags.has(letter)) continue;
    const argument = word.slice(at + 1) || (words.shift() ?? "");
    return readOption(letter, argument, reading);
  }
  return word.length > 1;
}

function readOption(letter: string, argument: string, reading: Reading): boolean {
  if (argument === "") return false;
  if (ownOptions.has(letter)) return true;
  if (letter === "p") {
    reading.port ??= readPort(argument);
    return reading.port !== undefined;
  }
  if (letter === "l") {
    reading.user ??= argument;
    return true;
  }
  if (letter !== "o") return false;
  const name = /^\w*/.exec(argument.trim())?.[0] ?? "";
  const value = argument.trim().slice(name.length).replace("=", " ").trim();
  if (/^port$/i.test(name)) return readOption("p", value, reading);
  if (/^user$/i.test(name)) return readOption("l", value, reading);
  return ownSettings.has(name.toLowerCase());
}
