import { t } from "@vscode/l10n";
import {
  beginMark,
  remoteScript,
  sshArguments,
  sshProblemOf,
  sshProblems,
  streamScript,
} from "../../core/servers/connect/sshSession.ts";
import type { RemotePlace, SshProblem, SshReport } from "../../core/servers/connect/sshSession.ts";
import { ByteReader, CutShort } from "../../core/servers/files/tarFormat.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
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
  { patienceMs, signal }: { readonly patienceMs: number; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly lines: readonly string[] } | SshReport | undefined> {
  const program = findSsh();
  if (program === undefined) return Promise.resolve({ problem: "noSsh", errors: "" });
  return new Promise((resolve) => {
    let output = "";
    const session = new RemoteSession({
      ...{ program, patienceMs, args: sshArguments(place) },
      script: remoteScript(`${steps}\necho "${endMark}"`),
      onText(text) {
        if (output.length < mostOutput) output += text;
      },
      onRest() {
        // A program that the profile has left running would keep the connection open.
        if (output.endsWith(`\n${endMark}\n`) && output.includes(`\n${beginMark}\n`)) finish(undefined, "");
      },
      onEnd: (failure, errors) => finish(failure, errors),
    });
    function finish(failure: SshProblem | undefined, errors: string): void {
      session.stop();
      signal?.removeEventListener("abort", cancel);
      const lines = output.split("\n");
      const begin = lines.indexOf(beginMark);
      const end = lines.lastIndexOf(endMark);
      if (begin !== -1 && end > begin) return resolve({ lines: lines.slice(begin + 1, end) });
      const problem = begin === -1 ? (failure ?? sshProblemOf(errors)) : "lost";
      resolve({ problem, errors });
    }
    function cancel(): void {
      session.stop();
      resolve(undefined);
    }
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  });
}

/** UTF-16 code units of what a stream of text may contain: the list of some 100,000 files. */
const mostText = 64_000_000;
const streamPatienceMs = 30_000;

/** Why a stream ended before its steps did. */
export class SshFailure extends Error implements SshReport {
  readonly problem: SshProblem;
  readonly errors: string;

  constructor(problem: SshProblem, errors = "") {
    super(sshProblems[problem].text());
    this.problem = problem;
    this.errors = errors;
  }
}

interface RemoteStream {
  /** What the steps get as their input. */
  readonly input?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/**
 * Runs steps whose input or output are bytes, made by `streamScript`. Resolves with what `read` returns, which leaves
 * nothing unread. Rejects with an `SshFailure`, with the reason of the signal if the caller has canceled, or with the error
 * of the input or of `read`. If the output ends too early, `read` throws a `CutShort`.
 */
export async function streamRemote<T>(
  place: RemotePlace,
  steps: string,
  { input = [], signal, read }: RemoteStream & { read(output: ByteReader): Promise<T> },
): Promise<T> {
  signal.throwIfAborted();
  const program = findSsh();
  if (program === undefined) throw new SshFailure("noSsh");
  let end: (failure: SshFailure) => void = () => undefined;
  const ended = new Promise<SshFailure>((resolve) => (end = resolve));
  const session = new RemoteSession({
    ...{ program, args: sshArguments(place), script: streamScript(steps), patienceMs: streamPatienceMs },
    onEnd: (failure, errors) => end(new SshFailure(failure ?? sshProblemOf(errors), errors)),
  });
  const cancel = (): void => {
    session.stop();
    end(new SshFailure("lost"));
  };
  signal.addEventListener("abort", cancel, { once: true });
  let hasBegun = false;
  try {
    const bytes = new ByteReader(session.output);
    if (!(await bytes.skipLine(beginMark, 100_000))) throw await ended;
    hasBegun = true;
    session.heard();
    const [result] = await Promise.all([read(bytes), session.sendAll(input)]);
    return result;
  } catch (error) {
    cancel();
    signal.throwIfAborted();
    const isCut = error instanceof CutShort || systemCodeOf(error) === "ERR_STREAM_PREMATURE_CLOSE";
    if (!isCut) throw error;
    throw hasBegun ? new SshFailure("lost") : await ended;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Checks that this ends with what `streamScript` prints last, and returns what precedes it and the steps' status. */
export function readEnd(text: string): { readonly text: string; readonly status: number } {
  const [end = "", status] = /IG1 end (\d{1,3})\n$/.exec(text.slice(-100)) ?? [];
  if (end === "") throw new CutShort();
  return { text: text.slice(0, -end.length), status: Number(status) };
}

/** Like `streamRemote`, for steps that print text. */
export async function streamText(
  place: RemotePlace,
  steps: string,
  options: RemoteStream,
): Promise<{ readonly text: string; readonly status: number }> {
  return await streamRemote(place, steps, {
    ...options,
    async read(output) {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      let text = "";
      for (;;) {
        const piece = await output.piece(64_000);
        if (piece === undefined) return readEnd(text);
        text += decoder.decode(piece, { stream: true });
        if (text.length > mostText) throw new RangeError(t("The server lists too many files."));
      }
    },
  });
}
