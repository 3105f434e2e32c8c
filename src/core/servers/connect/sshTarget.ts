import { isRecord } from "../../kernel/json.ts";
import type { Server } from "../server.ts";
import { fieldName } from "../fieldMapping.ts";
import { readPort, recordPorts } from "./recordPorts.ts";

/**
 * The SSH address of a server. Each part consists of harmless characters only, because it becomes part of a command
 * line.
 */
export interface SshTarget {
  readonly host: string;
  readonly user: string | undefined;
  readonly port: number;
}

const hostPattern = /^(?!-)[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/;
const userPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/;
const userNames = new Set([
  "sshuser",
  "sshusername",
  "defaultuser",
  "defaultusername",
  "loginuser",
  "username",
  "user",
]);
const portNames = new Set(["sshport", "portssh", "sshportnumber"]);
const commandNames = new Set(["sshcommand", "sshcmd", "sshconnect", "sshconnectioncommand"]);
const hostNames = new Set(["sshhost", "sshhostname", "sshaddress", "sship"]);
/** Each relevant name contains one of these words; other fields are skipped. */
const mayMatter = /ssh|user/i;

/** Undefined if the record contains no address that is safe in a command. */
export function sshTargetOf({ address, record }: Server): SshTarget | undefined {
  const fields = isRecord(record) ? collect(record, 0, new Map()) : new Map<string, unknown>();
  const command = readCommand(first(fields, commandNames, (value) => typeof value === "string"));
  const named = first(fields, hostNames, (value) => typeof value === "string" && hostPattern.test(value));
  const host = typeof named === "string" ? named : (command?.host ?? address?.value);
  if (host === undefined || !hostPattern.test(host)) return undefined;
  const user = first(fields, userNames, (value) => typeof value === "string" && userPattern.test(value));
  const port = readPort(first(fields, portNames, (value) => readPort(value) !== undefined));
  // The parts of a complete command belong together and apply only to its own host.
  const whole = command?.host === host ? command : undefined;
  return {
    host,
    user: typeof user === "string" ? user : whole?.user,
    port: port ?? whole?.port ?? (named === undefined ? mappedPort(record) : undefined) ?? 22,
  };
}

/** The port that is mapped to the machine's own port 22. */
function mappedPort(record: unknown): number | undefined {
  const ports = recordPorts(record);
  const mapped = ports.find(({ inner }) => inner === 22) ?? ports.find(({ service }) => service === "ssh");
  return mapped?.port;
}

/** `ssh -p 41234 root@ssh5.example`, and nothing that contains more than that. */
function readCommand(text: unknown): SshTarget | undefined {
  const shape = /^ssh(?: -p (\d{1,5}))? (?:([^\s@]+)@)?([^\s@]+)(?: -p (\d{1,5}))?$/;
  const match = typeof text === "string" && text.length < 400 ? shape.exec(text.trim()) : null;
  const [, before, user, host = "", after] = match ?? [];
  if (!hostPattern.test(host) || (user !== undefined && !userPattern.test(user))) return undefined;
  return { host, user, port: readPort(before) ?? readPort(after) ?? 22 };
}

/** `ssh -p 2222 root@203.0.113.7`. */
export function sshCommand({ host, user, port }: SshTarget): string {
  const target = user === undefined ? host : `${user}@${host}`;
  return port === 22 ? `ssh ${target}` : `ssh -p ${port} ${target}`;
}

function first(
  fields: ReadonlyMap<string, unknown>,
  names: ReadonlySet<string>,
  isGood: (value: unknown) => boolean,
): unknown {
  for (const name of names) if (isGood(fields.get(name))) return fields.get(name);
  return undefined;
}

/** The scalars with these names in the record and in its direct child objects; the outer ones take precedence. */
function collect(
  record: Readonly<Record<string, unknown>>,
  depth: number,
  fields: Map<string, unknown>,
): Map<string, unknown> {
  const nested: Readonly<Record<string, unknown>>[] = [];
  for (const name of Object.keys(record)) {
    const value = record[name];
    if (isRecord(value)) {
      if (depth < 1 && !/creator|owner|account|customer|created/i.test(name)) nested.push(value);
    } else if (mayMatter.test(name)) {
      const plain = fieldName(name);
      if (!fields.has(plain)) fields.set(plain, value);
    }
  }
  for (const inner of nested) collect(inner, depth + 1, fields);
  return fields;
}
