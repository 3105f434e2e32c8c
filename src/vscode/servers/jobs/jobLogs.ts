import * as vscode from "vscode";
import { endOf } from "../../../core/kernel/foreignText.ts";
import {
  beginMark,
  remoteScript,
  sshArguments,
  sshProblemOf,
  sshProblems,
} from "../../../core/servers/connect/sshSession.ts";
import { plainLog } from "../../../core/servers/jobs/job.ts";
import { jobName } from "../../../core/servers/jobs/jobText.ts";
import { logSteps } from "../../../core/servers/jobs/jobScripts.ts";
import type { JobRow, ServerRow } from "../../../core/servers/tree/rows.ts";
import { RemoteSession } from "../../../processes/servers/remoteSession.ts";
import { findSsh } from "../../../processes/servers/sshRoute.ts";
import { remotePlaceOf } from "../connect/remotePlace.ts";
import { recordScheme } from "../serversHost.ts";
import type { ServerJobs } from "./serverJobs.ts";

/** UTF-16 code units of a log that are kept and shown. */
const mostText = 400_000;
const patienceMs = 30_000;
/** Milliseconds between two updates of a document, and until a lost connection is tried again. */
const pauseMs = { update: 1_000, retry: 15_000 } as const;

/** The part of the view with the servers that the logs need. */
interface JobLogsContext {
  readonly jobs: Pick<ServerJobs, "rowsOf" | "find">;
  readonly context: { readonly storageUri: vscode.Uri };
  readonly rows: { rowOf(id: string): ServerRow | undefined };
  originOf(profileName: string): string;
}

interface Log {
  raw: string;
  /** Why nothing arrives. */
  problem: string;
  session: RemoteSession | undefined;
  timer: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/** The logs of jobs as documents that follow what is added, as long as they are open. */
export class JobLogs implements vscode.Disposable {
  readonly #serversView: JobLogsContext;
  readonly #changed: vscode.EventEmitter<vscode.Uri>;
  readonly #logs = new Map<string, Log>();
  readonly #registered: vscode.Disposable;

  /** @param changed Notified of the documents that have changed. */
  constructor(serversView: JobLogsContext, changed: vscode.EventEmitter<vscode.Uri>) {
    this.#serversView = serversView;
    this.#changed = changed;
    this.#registered = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#close(uri.toString())),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#logs.has(document.uri.toString())) follow(document);
      }),
    );
  }

  async show({ server, job }: JobRow): Promise<vscode.TextEditor> {
    const name = jobName(job.command).replaceAll(/[\\/:*?"<>|#%\s]+/g, " ");
    const query = new URLSearchParams({ server: server.id, job: job.id }).toString();
    const path = `/${name} ${job.id.slice(0, 4)}.log`;
    const uri = vscode.Uri.from({ scheme: recordScheme, authority: "job", path, query });
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    follow(document);
    return editor;
  }

  /** The text of a document, which is followed from its first use. VS Code opens it by itself after a restart. */
  text(uri: vscode.Uri): string {
    const key = uri.toString();
    let log = this.#logs.get(key);
    if (log === undefined) {
      log = { raw: "", problem: "", session: undefined, timer: undefined, isClosed: false };
      this.#logs.set(key, log);
      void this.#read(uri, log);
    }
    const begin = log.raw.indexOf(`${beginMark}\n`);
    const text = plainLog(begin === -1 ? log.raw : log.raw.slice(begin + beginMark.length + 1));
    return [text, log.problem].filter((part) => part !== "").join("\n");
  }

  dispose(): void {
    for (const key of [...this.#logs.keys()]) this.#close(key);
    this.#registered.dispose();
  }

  async #read(uri: vscode.Uri, log: Log): Promise<void> {
    const parameters = new URLSearchParams(uri.query);
    const row = this.#serversView.rows.rowOf(parameters.get("server") ?? "");
    const id = parameters.get("job") ?? "";
    const job = row && this.#serversView.jobs.rowsOf(row).find((each) => each.job.id === id)?.job;
    const place = row && (await remotePlaceOf(this.#serversView, row));
    const program = findSsh();
    if (log.isClosed) return;
    if (job === undefined || place === undefined || program === undefined) {
      log.problem =
        program === undefined ? sshProblems.noSsh.text() : vscode.l10n.t("This job isn't known here.");
      // The list of the servers may not have been loaded yet.
      log.timer = setTimeout(() => void this.#read(uri, log), pauseMs.retry);
      return this.#changed.fire(uri);
    }
    let isFirst = true;
    log.session = new RemoteSession({
      ...{ program, patienceMs, args: sshArguments(place), script: remoteScript(logSteps(job.id)) },
      onText: (text) => {
        log.session?.heard();
        // After a new connection, the log begins again.
        log.raw = endOf(isFirst ? text : log.raw + text, mostText);
        log.problem = "";
        isFirst = false;
        log.timer ??= setTimeout(() => {
          log.timer = undefined;
          this.#changed.fire(uri);
        }, pauseMs.update);
      },
      onEnd: (failure, errors) => {
        log.session = undefined;
        clearTimeout(log.timer);
        log.timer = undefined;
        const reason = failure ?? (isFirst ? sshProblemOf(errors) : "lost");
        const isRunning = this.#serversView.jobs.find(job.id)?.state === "running";
        if (isFirst) log.problem = sshProblems[reason].text();
        if ((isFirst || isRunning) && sshProblems[reason].retries === true)
          log.timer = setTimeout(() => {
            log.timer = undefined;
            void this.#read(uri, log);
          }, pauseMs.retry);
        this.#changed.fire(uri);
      },
    });
  }

  #close(key: string): void {
    const log = this.#logs.get(key);
    if (log === undefined) return;
    log.isClosed = true;
    log.session?.stop();
    clearTimeout(log.timer);
    this.#logs.delete(key);
  }
}

/** The last visible line of each document, to which it was scrolled. */
const ends = new WeakMap<vscode.TextDocument, number>();

/** Scrolls to the new end in editors that show the previous one. */
function follow(document: vscode.TextDocument): void {
  const before = ends.get(document) ?? 0;
  const end = Math.max(0, document.lineCount - 1);
  ends.set(document, end);
  for (const editor of vscode.window.visibleTextEditors) {
    const last = editor.visibleRanges.at(-1)?.end.line ?? 0;
    if (editor.document === document && last >= before - 1)
      editor.revealRange(new vscode.Range(end, 0, end, 0));
  }
}
