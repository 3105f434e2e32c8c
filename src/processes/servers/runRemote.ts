import {
  beginMark,
  remoteScript,
  sshArguments,
  sshProblemOf,
} from "../../core/servers/connect/sshSession.ts";
import type { RemotePlace, SshProblem } from "../../core/servers/connect/sshSession.ts";
import { RemoteSession } from "./remoteSession.ts";
import { findSsh } from "./sshRoute.ts";

/** What a script prints when all its steps have run: an exit code alone doesn't tell this from a lost connection. */
const endMark = "IG1 end 0";
/** UTF-16 code units of what the steps of one call may print. */
const mostOutput = 2_000_000;

/**
 * Runs steps on a server until they end. Resolves with what they printed, or with the reason why they didn't run to
 * their end; undefined if the caller has canceled.
 */
export function runRemote(
  place: RemotePlace,
  steps: string,
  { patienceMs, signal }: { readonly patienceMs: number; readonly signal?: AbortSignal },
): Promise<{ readonly lines: readonly string[] } | { readonly problem: SshProblem } | undefined> {
  const program = findSsh();
  if (program === undefined) return Promise.resolve({ problem: "noSsh" });
  return new Promise((resolve) => {
    let output = "";
    const session = new RemoteSession({
      ...{ program, patienceMs, args: sshArguments(place) },
      script: remoteScript(`${steps}\necho "${endMark}"`),
      onText(text) {
        if (output.length < mostOutput) output += text;
      },
      onEnd(failure, errors) {
        signal?.removeEventListener("abort", cancel);
        const lines = output.split("\n");
        const begin = lines.indexOf(beginMark);
        const end = lines.lastIndexOf(endMark);
        if (begin !== -1 && end > begin) return resolve({ lines: lines.slice(begin + 1, end) });
        if (failure === "noSsh" || failure === "noShell") return resolve({ problem: failure });
        resolve({ problem: begin === -1 && failure === undefined ? sshProblemOf(errors) : "lost" });
      },
    });
    function cancel(): void {
      session.stop();
      resolve(undefined);
    }
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
}
