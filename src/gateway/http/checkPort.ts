import { connect } from "node:net";
import { portStateOf } from "../../core/servers/connect/recordPorts.ts";
import type { PortState } from "../../core/servers/connect/recordPorts.ts";

/**
 * Connects and hangs up, to see whether anything listens there. Nothing is sent. Rejects with the signal's reason only.
 * @param timeoutMs How long a port may be silent.
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
