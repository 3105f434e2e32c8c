import { isRecord } from "../../json.ts";
import type { Server } from "../../server.ts";
import { fieldName } from "../fieldName.ts";

/** Where a server is reached by SSH. Each part is made of harmless characters only: it goes into a command line. */
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
const portNames = new Set(["sshport", "portssh"]);
const hostNames = new Set(["sshhost", "sshhostname", "sshaddress", "sship"]);

/** Undefined where the record offers no address that could stand in a command. */
export function sshTargetOf({ address, record }: Server): SshTarget | undefined {
  const fields = isRecord(record) ? collect(record, 0, new Map()) : new Map<string, unknown>();
  const named = first(fields, hostNames, (value) => typeof value === "string" && hostPattern.test(value));
  const host = typeof named === "string" ? named : address?.value;
  if (host === undefined || !hostPattern.test(host)) return undefined;
  const user = first(fields, userNames, (value) => typeof value === "string" && userPattern.test(value));
  const port = first(fields, portNames, isPort);
  return {
    host,
    user: typeof user === "string" ? user : undefined,
    port: port === undefined ? 22 : Number(port),
  };
}

/** `ssh -p 2222 root@203.0.113.7`. */
export function sshCommand({ host, user, port }: SshTarget): string {
  const target = user === undefined ? host : `${user}@${host}`;
  return port === 22 ? `ssh ${target}` : `ssh -p ${port} ${target}`;
}

export function isPort(value: unknown): boolean {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
}

function first(
  fields: ReadonlyMap<string, unknown>,
  names: ReadonlySet<string>,
  isGood: (value: unknown) => boolean,
): unknown {
  for (const name of names) if (isGood(fields.get(name))) return fields.get(name);
  return undefined;
}

/** The scalars of the record and of the objects right inside it; the outer ones win. */
function collect(
  record: Readonly<Record<string, unknown>>,
  depth: number,
  fields: Map<string, unknown>,
): Map<string, unknown> {
  const entries = Object.entries(record).map(([name, value]) => [fieldName(name), value] as const);
  for (const [name, value] of entries) {
    if (typeof value !== "object" && !fields.has(name)) fields.set(name, value);
  }
  for (const [name, value] of entries) {
    if (depth < 1 && isRecord(value) && !/creator|owner|account|customer|created/.test(name)) {
      collect(value, depth + 1, fields);
    }
  }
  return fields;
}
