import { connect } from "node:net";
import { portStateOf } from "../../core/servers/connect/recordPorts.ts";
import type { PortState } from "../../core/servers/connect/recordPorts.ts";

/**
 * Connects and disconnects to check whether anything is listening there. Nothing is sent. Rejects only with the
 * signal's reason.
 * @param timeoutMs How long to wait for a response.
 */
export function checkPort(
  host: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PortState> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port });
    const timer = setTimeout(() => end(() => resolve("silent")), timeoutMs);
    const onAbort = (): void => end(() => reject(asError(signal.reason)));
    function end(settle: () => void): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      settle();
    }
    signal.addEventListener("abort", onAbort);
    socket.once("connect", () => end(() => resolve("open")));
    socket.on("error", (error: NodeJS.ErrnoException) => end(() => resolve(portStateOf(error.code ?? ""))));
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
