import { t } from "@vscode/l10n";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { constants, unwatchFile, watchFile } from "node:fs";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { credentialKinds } from "../../core/account/credentialKinds.ts";
import { describeSource } from "../../core/account/formatSource.ts";
import type { CredentialCommand } from "../../core/account/credentialSource.ts";
import { redactPatterns, redactionMark } from "../../core/account/redaction.ts";
import type { SourceReading, SupplyRequest } from "../../core/account/suppliedCredentials.ts";
import { expandHome } from "../../core/kernel/homeFolder.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import { childEnvironment, findProgram, thisPlace } from "../programs/findProgram.ts";
import type { ProgramPlace } from "../programs/findProgram.ts";
import { decodeOutput, killProgram } from "../programs/programOutput.ts";

interface ReadSourceOptions {
  /** Ends a running command. */
  readonly signal: AbortSignal;
  readonly place?: ProgramPlace;
  /** How long a command may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** Enough for any sign-in that the user completes in a browser. */
const usualTimeoutMs = 60_000;
const maxBytes = 64 * 1024;
const maxErrorBytes = 8 * 1024;
/** How long a program may take to end by itself before it is killed, in milliseconds. */
const endMs = 2_000;
/** How long to wait for the rest of the output after a program has ended, in milliseconds. */
const restMs = 300;

/** Reads the source once. Never rejects; a problem is a sentence without any part of the output. */
export async function readCredentialSource(
  request: SupplyRequest,
  { signal, place = thisPlace(), timeoutMs = usualTimeoutMs }: ReadSourceOptions,
): Promise<SourceReading> {
  const { source, profileName, kind } = request;
  const outcome =
    source.from === "command"
      ? await runCommand(source.command, place, signal, timeoutMs)
      : source.from === "file"
        ? await readSmallFile(source.path)
        : readVariable(source.name, place.environment);
  if ("text" in outcome) return outcome;
  const noun = credentialKinds[kind].noun();
  return {
    problem: t(
      "The {0} for the profile “{1}” can't be read from {2}: {3}",
      noun,
      profileName,
      describeSource(source),
      outcome.problem,
    ),
  };
}

function readVariable(name: string, environment: ProgramPlace["environment"]): SourceReading {
  const text = environment[name];
  if (text !== undefined && text.trim() !== "") return { text };
  return { problem: t("it isn't set. Set it where VS Code is started, then restart VS Code.") };
}

/** How often a file is checked for a change, in milliseconds. */
const watchMs = 2_000;

/**
 * Calls `onChange` when the file has changed, by its time and size, which also works on network drives and for files that
 * are replaced. Returns a function that stops this.
 */
export function watchSourceFile(path: string, onChange: () => void): () => void {
  const file = expandHome(path, homedir());
  watchFile(file, { interval: watchMs, persistent: false }, onChange);
  return () => unwatchFile(file, onChange);
}

async function readSmallFile(path: string): Promise<SourceReading> {
  try {
    // Opening a pipe that nothing writes to would otherwise never end.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    const file = await open(expandHome(path, homedir()), flags);
    try {
      if (!(await file.stat()).isFile()) return { problem: t("it isn't a file.") };
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
      if (bytesRead > maxBytes) return { problem: t("it is longer than 64 KB.") };
      return { text: await decodeOutput(buffer.subarray(0, bytesRead)) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "ENOENT") return { problem: t("it doesn't exist. Check “credentialFile” in the profile.") };
    if (code === "EACCES" || code === "EPERM") return { problem: t("you don't have permission to read it.") };
    return { problem: t("reading it failed ({0}).", code ?? "unknown") };
  }
}

/** The program's output. It is started without a shell, in the home directory, and can't read any input. */
async function runCommand(
  [name, ...args]: CredentialCommand,
  place: ProgramPlace,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<SourceReading> {
  const found = findProgram(name, place);
  if (found === undefined) return { problem: missingProblem() };
  if ("script" in found) return { problem: scriptProblem(name, args) };
  let child: ChildProcess;
  try {
    child = spawn(found.program, args, {
      cwd: homedir(),
      env: childEnvironment(place),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      shell: false,
      // A separate process group, so that everything the program has started ends with it.
      detached: process.platform !== "win32",
    });
  } catch (error) {
    return { problem: startProblem(error) };
  }
  const output = collect(child, maxBytes);
  const errors = collect(child, maxErrorBytes, "stderr");
  let limit: string | undefined;
  const stop = (problem: string): void => {
    if (limit !== undefined) return;
    limit = problem;
    endGroup(child);
  };
  const timer = setTimeout(
    () =>
      stop(
        t(
          "it didn't finish within {0} s and was stopped. It can't ask for input.",
          String(Math.round(timeoutMs / 1_000)),
        ),
      ),
    timeoutMs,
  );
  const onAbort = (): void => stop(t("it was canceled."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  output.onTooLong = () => stop(t("it printed more than 64 KB."));
  let rest: NodeJS.Timeout | undefined;
  const end = await new Promise<{ readonly error?: unknown; readonly exitCode?: number | null }>(
    (resolve) => {
      child.on("error", (error) => resolve({ error }));
      child.on("close", (exitCode) => resolve({ exitCode }));
      // What the program has left running in the background may keep its output open for hours.
      child.on("exit", (exitCode) => {
        rest = setTimeout(() => resolve({ exitCode }), restMs);
      });
    },
  );
  clearTimeout(rest);
  child.stdout?.destroy();
  child.stderr?.destroy();
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  if (end.error !== undefined) return { problem: startProblem(end.error) };
  if (limit !== undefined) return { problem: limit };
  if (end.exitCode === 0) return { text: await output.text() };
  const details = summarizeErrors(await errors.text(), await output.text());
  return {
    problem:
      details === ""
        ? t("it failed with exit code {0}. Run it in a terminal to see why.", String(end.exitCode ?? "?"))
        : t("it failed with exit code {0}: {1}", String(end.exitCode ?? "?"), details),
  };
}

/** Ends the program and everything that it started. */
function endGroup(child: ChildProcess): void {
  killProgram(child, true, "SIGTERM");
  // Also if the program itself has ended, because what it has started may ignore the first signal.
  setTimeout(() => {
    killProgram(child, true, "SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, endMs);
}

interface Collected {
  onTooLong?: () => void;
  text(): Promise<string>;
}

function collect(child: ChildProcess, limit: number, name: "stdout" | "stderr" = "stdout"): Collected {
  const chunks: Buffer[] = [];
  let length = 0;
  const collected: Collected = {
    text: () => decodeOutput(Buffer.concat(chunks).subarray(0, limit)),
  };
  child[name]?.on("data", (chunk: Buffer) => {
    if (length <= limit) chunks.push(chunk);
    length += chunk.length;
    if (length > limit) collected.onTooLong?.();
  });
  return collected;
}

/** A script is started by cmd. The user writes this, because cmd gives some characters of arguments a meaning. */
function scriptProblem(name: string, args: readonly string[]): string {
  const form = JSON.stringify(["cmd", "/d", "/c", name]).replace("]", args.length > 0 ? ', "…"]' : "]");
  return t(
    "it is a script, which needs a shell. Enter it in “credentialCommand” of the profile as {0}.",
    form,
  );
}

function missingProblem(): string {
  return t("the program wasn't found. Enter its full path in “credentialCommand” of the profile.");
}

function startProblem(error: unknown): string {
  const code = systemCodeOf(error);
  if (code === "ENOENT") return missingProblem();
  if (code === "EACCES") return t("the program can't be executed. Check its permissions.");
  return t("the program couldn't be started ({0}).", code ?? "unknown");
}

/** Beginnings of lines that name an error. */
const errorLabel = /^[[(*]*(?:[\w.]{0,80}(?:error|exception)|fatal|err|panic|failed|failure)\b/i;
/** What such lines say, in lower case. */
const causes: readonly string[] = [
  ...["error", "expired", "denied", "failed", "fatal", "unauthorized", "forbidden", "not logged in"],
  ...["invalid", "refused", "cannot", "can't", "could not", "unable", "not found", "no such", "timed out"],
  ...["required", "re-authenticate", "sign in", "log in", "login", "missing", "unknown", "not authenticated"],
];
/** Lines around the cause that say nothing about it: frames, source lines, versions, and the help of a command. */
const noise =
  /^(?:at |File "|\^+$|~+$|throw |raise |Traceback |Aborted!?$|Node\.js v|goroutine |exit status |-{1,2}[a-z]|\S+:\d+$)/i;
const helpHeading = /^(?:(?:global |available )?(?:usage|flags|options|commands|examples))\b.{0,20}:/i;
const mostLines = 3;

/** The line that names the cause and what follows it, up to three lines, with everything masked that might be a secret. */
function summarizeErrors(errors: string, output: string): string {
  const all = errors
    .replaceAll(/\x1b\[[\d;]*[A-Za-z]/g, "")
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, (found) => (found.includes("\n") ? "\n" : " "))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const helpAt = all.findIndex((line) => helpHeading.test(line));
  const lines = (helpAt > 0 ? all.slice(0, helpAt) : all).filter((line) => !noise.test(line));
  const scores = lines.map(scoreLine);
  const best = Math.max(0, ...scores);
  const at = best === 0 ? -mostLines : scores.indexOf(best);
  const text = lines.slice(at).slice(0, mostLines).join(" ").slice(0, 1_000);
  const printed = output.split(/\s+/).filter((word) => word.length >= 6);
  const withoutOutput = printed
    .slice(0, 1_000)
    .filter((word) => printed.length === 1 || !/^\p{L}\p{Ll}*\W?$/u.test(word))
    .reduce((rest, word) => rest.replaceAll(word, redactionMark), text);
  return redactPatterns(withoutOutput)
    .replaceAll(/[\w+/=.~-]{12,}/g, maskLikely)
    .slice(0, 300);
}

/** How likely the line names the cause. */
function scoreLine(line: string): number {
  const lower = line.toLowerCase();
  return (errorLabel.test(line) ? 1 : 0) + (causes.some((cause) => lower.includes(cause)) ? 1 : 0);
}

/** Words of a language contain no digits, and aren't this long. */
function maskLikely(word: string): string {
  return /\d/.test(word) || word.length > 24 ? redactionMark : word;
}
