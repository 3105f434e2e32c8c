import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { Server } from "../server.ts";
import { serverName } from "../serverLabels.ts";
import type { SshTarget } from "./sshTarget.ts";

/** A server in an ssh configuration. Every part consists of harmless characters only. */
export interface SshHost extends SshTarget {
  /** The name of the server in `ssh ALIAS`: lower-case letters, digits and dashes. */
  readonly alias: string;
  /** What identifies a server: 16 hexadecimal digits. Each alias ends with the first eight. */
  readonly identity: string;
  /**
   * The name under which the server's key is stored, so that a reused address isn't reported as a changed key.
   * Undefined without an ID.
   */
  readonly keyAlias: string | undefined;
  /** One line for people who read the file. */
  readonly comment: string;
}

/**
 * @param origin The origin of the gateway that lists the server, outside of which an ID is meaningless.
 * @param digest SHA-256 in hexadecimal.
 */
export function sshHost(
  server: Server,
  target: SshTarget,
  origin: string,
  digest: (text: string) => string,
): SshHost {
  const { id } = server;
  const identity = digest(JSON.stringify([origin, id?.value ?? `${target.host}:${target.port}`])).slice(
    0,
    16,
  );
  const name = serverName(server);
  return {
    ...target,
    identity,
    alias: `${aliasWord(name)}-${identity.slice(0, 8)}`,
    keyAlias: id === undefined ? undefined : `inference-gateway-${identity}`,
    comment: sanitizeLabel(id === undefined ? name : `${name} (${id.value})`, 120),
  };
}

/** The part of the name that is valid in an alias. Other characters could be taken for patterns, tokens or paths. */
function aliasWord(name: string): string {
  const word = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|(?<!-)-+$/g, "");
  return word === "" ? "gpu-server" : word;
}
