import { t } from "@vscode/l10n";

/** What became of an attempt to connect to a port. */
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

/** @param code Of Node's error. */
export function portStateOf(code: string): PortState {
  return (Object.hasOwn(codes, code) ? codes[code] : undefined) ?? "failed";
}

/** A sentence on why the port can't be reached, and what may help. */
export function portMessage(
  state: Exclude<PortState, "open">,
  host: string,
  port: number,
  isPrivate: boolean,
): string {
  const sentence = sentences[state](host, port);
  return isPrivate
    ? `${sentence} ${t("The address is a private one: it may need a VPN or a jump host.")}`
    : sentence;
}

const sentences: Readonly<Record<Exclude<PortState, "open">, (host: string, port: number) => string>> = {
  refused: (host, port) =>
    t(
      "{0} is reachable, but nothing is listening on port {1}: the service may not be running yet, or may use another port.",
      host,
      port,
    ),
  silent: (host, port) =>
    t(
      "Port {1} of {0} isn't responding. The server may be off, or a firewall may block the connection.",
      host,
      port,
    ),
  unknownName: (host) =>
    t("{0} can't be resolved. The server may no longer exist, or its name may require a VPN.", host),
  unreachable: (host) =>
    t("{0} is unreachable. The network may be down, or the address may require a VPN.", host),
  failed: (host, port) => t("Port {1} of {0} can't be reached.", host, port),
};
