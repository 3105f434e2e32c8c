import { isRecord, numberField, parseJson, stringField } from "../../kernel/json.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { serverStatuses } from "../server.ts";
import type { ListExtent, Server, ServerFact } from "../server.ts";
import { sshTargetOf } from "../connect/sshTarget.ts";
import { factNames } from "../serverFacts.ts";
import type { ServerListSnapshot } from "../serverListState.ts";
import { maskSecretText } from "../secretMask.ts";
import { factText } from "../serverLabels.ts";

/** A stored list: enough to paint the rows, without the records and therefore without potential secrets. */
export interface StoredServers extends ListExtent {
  readonly servers: readonly Server[];
  /** Milliseconds since 1970. */
  readonly listedAt: number;
}

const version = 2;

/** The rows as text for storage. Undefined if no list was received yet. */
export function formatServerSnapshot({
  servers,
  total,
  hasMore,
  listedAt,
}: ServerListSnapshot): string | undefined {
  if (listedAt === undefined) return undefined;
  return JSON.stringify({ version, listedAt, total, hasMore, servers: servers.map(storedServer) });
}

/** Parses stored rows; undefined for anything not written by this version. */
export function parseServerSnapshot(text: string): StoredServers | undefined {
  const stored = parseJson(text);
  if (!isRecord(stored) || stored["version"] !== version || !Array.isArray(stored["servers"]))
    return undefined;
  const listedAt = numberField(stored, "listedAt");
  const total = numberField(stored, "total");
  if (listedAt === undefined) return undefined;
  const used = new Set<string>();
  const servers = stored["servers"].filter(isRecord).flatMap((entry) => {
    const server = parseServer(entry);
    if (server === undefined || used.has(server.key)) return [];
    used.add(server.key);
    return [server];
  });
  const hasMore = stored["hasMore"] === true ? { hasMore: true as const } : {};
  return { servers, listedAt, ...(total === undefined ? {} : { total }), ...hasMore };
}

function storedServer(server: Server): Readonly<Record<string, unknown>> {
  const facts = factNames.flatMap((name) => {
    const fact = server[name];
    return fact === undefined
      ? []
      : [[name, [factText(fact, 300), sanitizeLabel(fact.source, 300)]] as const];
  });
  const { status, isPrivateAddress } = server;
  // The key may be the name itself, which may contain a secret. The server then counts as a different one until the
  // list has loaded.
  const key = maskSecretText(server.key);
  const target = sshTargetOf(server);
  const isPublic = target !== undefined && maskSecretText(target.user ?? "") === (target.user ?? "");
  const ssh = isPublic ? { ssh: target } : {};
  return { key, status, isPrivateAddress, ...ssh, ...Object.fromEntries(facts) };
}

function parseServer(stored: Readonly<Record<string, unknown>>): Server | undefined {
  const key = stringField(stored, "key");
  const status = serverStatuses.find((known) => known === stored["status"]);
  if (key === undefined || status === undefined) return undefined;
  const facts = factNames.flatMap((name) => {
    const fact = parseFact(stored[name]);
    return fact === undefined ? [] : [[name, fact] as const];
  });
  const isPrivate = stored["isPrivateAddress"] === true ? { isPrivateAddress: true } : {};
  // Its port and user are in the record only, and the address alone would lead to another machine.
  const { ssh } = stored;
  return { key, status, ...isPrivate, ...Object.fromEntries(facts), record: isRecord(ssh) ? { ssh } : {} };
}

function parseFact(stored: unknown): ServerFact | undefined {
  if (!Array.isArray(stored)) return undefined;
  const [value, source]: readonly unknown[] = stored;
  return typeof value === "string" && typeof source === "string" ? { value, source } : undefined;
}
