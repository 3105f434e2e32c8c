import { readHttpAddress } from "../../httpAddress.ts";
import { isRecord } from "../../json.ts";
import type { Server } from "../../server.ts";
import { fieldName } from "../fieldName.ts";
import { secretName } from "../secretNames.ts";
import { maskSecretText } from "../secretText.ts";
import { isPort } from "./sshTarget.ts";

const maxDepth = 5;
const maxFound = 20;

/**
 * Addresses of web pages that the record offers: http and https URLs without secrets in them, and the ports of the
 * server that are said to speak HTTP. Whatever carries a secret is left out, not masked.
 */
export function webAddresses({ address, record }: Server): readonly string[] {
  const found = new Set<string>();
  const host = address === undefined ? undefined : hostOf(address.value);
  search(record, "", 0, (name, value) => {
    if (typeof value === "string" && /^https?:\/\//i.test(value)) addUrl(value, found);
    const plain = fieldName(name);
    if (host !== undefined && /^(?:http|https|web|ui|api|app)ports?$/.test(plain) && isPort(value)) {
      found.add(`${plain.startsWith("https") ? "https" : "http"}://${host}:${String(value)}/`);
    }
  });
  if (host !== undefined) for (const port of httpPorts(record)) found.add(`http://${host}:${port}/`);
  return [...found].slice(0, maxFound);
}

function addUrl(text: string, found: Set<string>): void {
  const reading = readHttpAddress(text);
  if ("problem" in reading || maskSecretText(text) !== text) return;
  const { origin, path, query } = reading.address;
  found.add(`${origin}${path === "" ? "/" : path}${query === undefined ? "" : `?${query}`}`);
}

function hostOf(address: string): string | undefined {
  if (!/^[A-Za-z0-9.:-]+$/.test(address)) return undefined;
  return address.includes(":") ? `[${address}]` : address;
}

/** `ports: [{"port": 8888, "type": "http"}]`, `ports: ["8888/http"]`. */
function httpPorts(record: unknown): readonly number[] {
  const ports: number[] = [];
  if (!isRecord(record)) return ports;
  for (const [name, value] of Object.entries(record)) {
    if (!/ports?(?:mappings?)?$/.test(fieldName(name)) || !Array.isArray(value)) continue;
    for (const entry of value.slice(0, maxFound)) {
      const port = typeof entry === "string" ? /^(\d+)\/http$/.exec(entry)?.[1] : portOf(entry);
      if (isPort(port)) ports.push(Number(port));
    }
  }
  return ports;
}

function portOf(entry: unknown): unknown {
  if (!isRecord(entry)) return undefined;
  const speaksHttp = Object.values(entry).some(
    (value) => typeof value === "string" && /^https?$/i.test(value),
  );
  return speaksHttp
    ? (entry["publicPort"] ?? entry["public_port"] ?? entry["port"] ?? entry["privatePort"])
    : undefined;
}

function search(
  value: unknown,
  name: string,
  depth: number,
  take: (name: string, value: unknown) => void,
): void {
  if (depth > maxDepth || secretName(name) !== undefined) return;
  if (Array.isArray(value)) for (const item of value.slice(0, maxFound)) search(item, name, depth + 1, take);
  else if (isRecord(value)) {
    for (const [inner, item] of Object.entries(value)) search(item, inner, depth + 1, take);
  } else take(name, value);
}
