import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ConversationStore } from "../../src/core/conversation/conversationStore.ts";
import { isRecord, parseJson } from "../../src/core/kernel/json.ts";
import { StoreFolder } from "./storeFolder.ts";

const program = fileURLToPath(new URL("windowProcess.ts", import.meta.url));
const flags = ["--disable-warning=ExperimentalWarning"];

/** A window in a process of its own, which can be stopped and killed. */
export class WindowProcess {
  readonly #child: ChildProcess;
  readonly #waiting: ((message: Readonly<Record<string, unknown>>) => void)[] = [];
  readonly #ready: Promise<unknown>;
  /** UTF-16 code units of the streamed text that must survive the end of the process. */
  durable = 0;
  readonly problems: string[] = [];
  /** Why nothing can be written, and empty each time when it could again. */
  readonly troubles: string[] = [];

  constructor(file: string, env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(process.execPath, [...flags, program, file], {
      stdio: ["pipe", "pipe", "inherit"],
      env,
    });
    this.#ready = this.#next();
    if (this.#child.stdout === null) throw new Error("no output");
    createInterface(this.#child.stdout).on("line", (line) => this.#receive(parseJson(line)));
  }

  /** Streams `w0 w1 w2 …` into a message of a conversation. */
  async stream(id: string, messageId: string, wordsPerSecond: number): Promise<void> {
    await this.#call("stream", [id, messageId, wordsPerSecond]);
  }

  /** Calls a method of the store there. Rejects with what it throws. */
  async call(method: keyof ConversationStore, ...parameters: readonly unknown[]): Promise<unknown> {
    return this.#call(method, parameters);
  }

  /** Calls a method of the store there at this time, in milliseconds since 1970. */
  async callAt(
    time: number,
    method: keyof ConversationStore,
    ...parameters: readonly unknown[]
  ): Promise<unknown> {
    const waited = this.#call("wait", [time]);
    const result = this.#call(method, parameters);
    await waited;
    return result;
  }

  /** Waits until this much more must survive. */
  async grow(units: number): Promise<void> {
    const goal = this.durable + units;
    while (this.durable < goal) await setTimeout(10);
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  async #call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    await this.#ready;
    const answer = this.#next();
    this.#child.stdin?.write(`${JSON.stringify({ method, parameters })}\n`);
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(String(error));
    return result;
  }

  #next(): Promise<Readonly<Record<string, unknown>>> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return;
    const { durable, problem, trouble } = message;
    if (typeof durable === "number") this.durable = durable;
    else if (typeof problem === "string") this.problems.push(problem);
    else if (typeof trouble === "string") this.troubles.push(trouble);
    else this.#waiting.shift()?.(message);
  }
}

/** Another program that has locked the database. */
export class LockingProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @param statements Of SQLite. What they lock stays locked until `release`. */
  static async hold(file: string, statements: string): Promise<LockingProcess> {
    const script = `
      const { DatabaseSync } = require("node:sqlite");
      const database = new DatabaseSync(${JSON.stringify(file)});
      database.exec("PRAGMA busy_timeout = 5000");
      database.exec(${JSON.stringify(statements)});
      process.stdout.write("held");
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, [...flags, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    return new LockingProcess(child);
  }

  /** A killed process releases its locks. */
  async release(): Promise<void> {
    if (this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

/** A folder with one conversations file, and the windows and other programs that have it open in processes of their own. */
export class WindowFolder extends StoreFolder {
  /** Where the windows put temporary files. */
  readonly temporary = join(this.folder, "tmp");
  readonly #windows: WindowProcess[] = [];
  readonly #locks: LockingProcess[] = [];

  constructor() {
    super();
    mkdirSync(this.temporary);
  }

  start(): WindowProcess {
    const window = new WindowProcess(this.file, { ...process.env, TMPDIR: this.temporary });
    this.#windows.push(window);
    return window;
  }

  /** @param statements Of SQLite. What they lock stays locked until the process is released. */
  async lock(statements: string): Promise<LockingProcess> {
    const lock = await LockingProcess.hold(this.file, statements);
    this.#locks.push(lock);
    return lock;
  }

  /** Ends all processes, and removes the folder. */
  async end(): Promise<void> {
    await Promise.all(this.#windows.map((window) => window.kill()));
    await Promise.all(this.#locks.map((lock) => lock.release()));
    this.remove();
  }
}

/** Ways to lock a database, by what the other program does. */
export const lockKinds: Readonly<Record<string, string>> = {
  "a writer": "BEGIN IMMEDIATE",
  "an exclusive writer": "BEGIN EXCLUSIVE",
  "a reader": "BEGIN; SELECT count(*) FROM message",
};

/** Asserts that at least this much of the streamed text is there, in order and once. */
export function assertWords(text: string, atLeast: number): void {
  const words = Array.from({ length: text.split(" ").length }, (_, index) => `w${index} `).join("");
  assert.ok(words.startsWith(text), `in order and once: ${text.slice(0, 300)}`);
  assert.ok(text.length >= atLeast, `${text.length} of ${atLeast} units`);
}
