import { t } from "@vscode/l10n";
import type { Server } from "node:http";

/** A server that listens on loopback only. */
export interface LoopbackService {
  /** Such as `http://127.0.0.1:1234`. */
  readonly url: string;
  readonly port: number;
  /** Closes the server and every connection. */
  stop(): Promise<void>;
}

/** Listens on the port, or on any free one when it is 0. Rejects with a sentence when the port is taken. */
export function listenOnLoopback(server: Server, port = 0): Promise<LoopbackService> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new Error(t("The port {0} is in use. Choose another one, or 0 for any.", port))
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
