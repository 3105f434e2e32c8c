import { readHttpAddress, isLoopbackHost } from "../../kernel/httpAddress.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { ProfileOptions } from "../../account/profileSettings.ts";
import type { Server } from "../server.ts";
import { portHost, recordPorts } from "./recordPorts.ts";
import type { RecordPort } from "./recordPorts.ts";
import { urlHost, webScheme } from "./webAddresses.ts";

/** A port on which a server may offer models. */
export interface EndpointPort {
  readonly host: string;
  readonly port: number;
  /** The port inside the server, if it differs. */
  readonly inner: number;
  readonly scheme: "http" | "https";
  /** The field of the record that names it; undefined for a default port. */
  readonly source: string | undefined;
  /** The program that usually listens on this port. Empty if unknown. */
  readonly program: string;
}

/** Programs that offer models, with their usual ports, and whom they name as the owner of a model in their lists. */
export const modelPrograms = [
  { name: "vLLM", port: 8000, owner: "vllm" },
  { name: "llama.cpp", port: 8080, owner: "llamacpp" },
  { name: "Ollama", port: 11_434, owner: "library" },
  { name: "LM Studio", port: 1234, owner: "organization_owner" },
  { name: "SGLang", port: 30_000, owner: "sglang" },
] as const;
const programs: ReadonlyMap<number, string> = new Map(modelPrograms.map(({ port, name }) => [port, name]));
const modelServices = /vllm|sglang|tgi|openai|ollama|llama|lmstudio|inference|model|api/;

/** The ports of the record, those for models first, and then the default ports that it doesn't name. */
export function endpointPorts(server: Server): readonly EndpointPort[] {
  const named = recordPorts(server.record).filter(
    ({ service, inner, port }) => service !== "ssh" && (inner ?? port) !== 22,
  );
  const ranked = named
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((found) => {
      const host = urlHost(portHost(found, server) ?? "");
      return host === undefined ? [] : [namedPort(found, host)];
    });
  const own = urlHost(server.address?.value ?? "");
  const inners = new Set(ranked.flatMap(({ port, inner }) => [port, inner]));
  const usual = own === undefined ? [] : [...programs].filter(([port]) => !inners.has(port));
  return [
    ...ranked,
    ...usual.map(
      ([port, program]) =>
        ({ host: own ?? "", port, inner: port, scheme: "http", source: undefined, program }) as const,
    ),
  ];
}

function namedPort(found: RecordPort, host: string): EndpointPort {
  const inner = found.inner ?? found.port;
  const { port, source, service, name = service } = found;
  const program = name || (programs.get(inner) ?? "");
  return { host, port, inner, scheme: webScheme(found), source, program };
}

function rank({ service, name = service, inner, port }: RecordPort): number {
  if (modelServices.test(name)) return 0;
  return programs.has(inner ?? port) ? 1 : 2;
}

/** `http://203.0.113.7:8000/v1`. */
export function endpointUrl(host: string, port: number): string {
  return `http://${host}:${port}/v1`;
}

/** Whether the host of an endpoint's URL is the local machine. */
export function isLocalEndpoint(url: string): boolean {
  const reading = readHttpAddress(url);
  return "address" in reading && isLoopbackHost(reading.address.host);
}

/** The server's name as an unused profile name. */
export function freeProfileName(name: string, taken: readonly string[]): string {
  const plain =
    sanitizeLabel(name, 80)
      .replace(/[\p{Cc}\p{Cf}]/gu, "")
      .trim() || "GPU server";
  for (let number = 1; ; number++) {
    const free = number === 1 ? plain : `${plain} (${number})`;
    if (!taken.includes(free)) return free;
  }
}

/** What is written to the settings. No API key is required, but one that is set is sent. */
export function endpointProfile(name: string, url: string): ProfileOptions {
  const isOpen = url.startsWith("http:") && !isLocalEndpoint(url);
  return {
    name,
    inferenceBaseUrl: url,
    ...(isLocalEndpoint(url) ? {} : { apiKeyOptional: true }),
    ...(isOpen ? { allowInsecureHttp: true } : {}),
  };
}
