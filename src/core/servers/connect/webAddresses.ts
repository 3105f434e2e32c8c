import { readHttpAddress } from "../../kernel/httpAddress.ts";
import { isRecord } from "../../kernel/json.ts";
import type { Server } from "../server.ts";
import { secretName } from "../../account/secrets/secretNames.ts";
import { maskSecretText } from "../secretMask.ts";
import { portHost, recordPorts } from "./recordPorts.ts";
import type { RecordPort } from "./recordPorts.ts";

/** A web page listed in a record. */
interface WebAddress {
  readonly url: string;
  /** Its location in the record. */
  readonly source: string;
  /** Whether its host differs from the server's own address, so that only the record vouches for it. */
  readonly isElsewhere: boolean;
}

const maxDepth = 5;
const maxFound = 20;
const maxItems = 50;
const webServices =
  /^(?:https?\d?|web.*|ui|api|app|dashboard|jupyter.*|notebook|lab|tensorboard|gradio|streamlit|grafana|comfyui|vscode|codeserver|vllm|sglang|tgi|openai|ollama|inference|ray.*|mlflow)$/;
/** The usual ports of web pages, whatever protocol the record specifies. */
const webPorts = new Set([
  80, 443, 3000, 5000, 6006, 7860, 8000, 8080, 8081, 8188, 8265, 8443, 8501, 8787, 8888, 8889,
]);

/**
 * Addresses of web pages in the record: http and https URLs without secrets, and the ports of the server that use HTTP.
 * Anything that contains a secret is omitted, not masked.
 */
export function webAddresses(server: Server): readonly WebAddress[] {
  const { address, record } = server;
  const found = new Map<string, WebAddress>();
  const host = address === undefined ? undefined : urlHost(address.value);
  searchUrls(record, "", 0, (text, source) => {
    const url = readUrl(text);
    if (url !== undefined && !found.has(url.text) && found.size < maxFound) {
      found.set(url.text, { url: url.text, source, isElsewhere: url.host !== host });
    }
  });
  for (const port of recordPorts(record)) {
    const own = urlHost(portHost(port, server) ?? "");
    const url = `${webScheme(port)}://${own}:${port.port}/`;
    if (own !== undefined && speaksHttp(port) && !found.has(url)) {
      found.set(url, { url, source: port.source, isElsewhere: own !== host });
    }
  }
  return [...found.values()].slice(0, maxFound);
}

/** The address in the form used in a URL; undefined if that isn't possible. */
export function urlHost(address: string): string | undefined {
  if (!/^[A-Za-z0-9.:-]{1,253}$/.test(address)) return undefined;
  return address.includes(":") ? `[${address.toLowerCase()}]` : address.toLowerCase();
}

/** The scheme that a browser most likely needs for the port. */
export function webScheme({ service, inner, port }: RecordPort): "http" | "https" {
  return service.startsWith("https") || [443, 8443].includes(inner ?? port) ? "https" : "http";
}

function speaksHttp({ service, inner, port }: RecordPort): boolean {
  return service === "" ? webPorts.has(inner ?? port) : webServices.test(service);
}

function readUrl(text: string): { readonly text: string; readonly host: string } | undefined {
  const reading = readHttpAddress(text);
  if ("problem" in reading || maskSecretText(text) !== text) return undefined;
  const { origin, host, path, query } = reading.address;
  const rest = `${path === "" ? "/" : path}${query === undefined ? "" : `?${query}`}`;
  return { text: origin + rest, host };
}

function searchUrls(
  value: unknown,
  path: string,
  depth: number,
  take: (text: string, source: string) => void,
): void {
  if (typeof value === "string" && /^https?:\/\//i.test(value)) return take(value, path);
  if (depth > maxDepth || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.slice(0, maxItems).entries()) {
      searchUrls(item, `${path}[${index}]`, depth + 1, take);
    }
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (secretName(name) === undefined)
        searchUrls(item, path === "" ? name : `${path}.${name}`, depth + 1, take);
    }
  }
}
