import { t } from "@vscode/l10n";
import type { Server } from "node:http";

const loopbackNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Whether the request was meant for this machine. A web page whose own host name resolves to 127.0.0.1 would send that
 * name in `Host`.
 */
export function isLoopbackHostHeader(host: string | undefined): boolean {
  return host !== undefined && loopbackNames.has(host.replace(/:\d+$/, "").toLowerCase());
}

/** A server that listens on loopback only. */
interface LoopbackService {
  /** Such as `http://127.0.0.1:1234`. */
  readonly url: string;
  readonly port: number;
  /** Closes the server and every connection. */
  stop(): Promise<void>;
}

/** Listens on the port, or on any free port if it is 0. Rejects with a readable sentence if the port is taken. */
export function listenOnLoopback(server: Server, port = 0): Promise<LoopbackService> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new Error(t("The port {0} is in use. Choose another one, or 0 for any.", String(port)))
          : error,
      );
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve({ url: `http://127.0.0.1:${bound}`, port: bound, stop: () => stopServer(server) });
    });
  });
}

function stopServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
/**
 * Whether the query of a request target is well-formed percent-encoded UTF-8. A lenient parser would map different
 * requests to the same values, and so to the same signature.
 */
export function hasWellFormedQuery(target: string): boolean {
  const at = target.indexOf("?");
  if (at < 0) return true;
  try {
    decodeURIComponent(target.slice(at + 1));
    return true;
  } catch {
    return false;
  }
}
