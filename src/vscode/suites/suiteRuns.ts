import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import type { Redaction } from "../../core/account/redaction.ts";
import { guardCompletion } from "../../core/compose/send/guardedPorts.ts";
import type { SendGate } from "../../core/compose/send/sendGate.ts";
import { findPrice } from "../../core/conversation/prices.ts";
import { formatResult, parseResults } from "../../core/suites/results.ts";
import type { CellResult } from "../../core/suites/results.ts";
import { startCells } from "../../core/suites/runSuite.ts";
import type { SuiteRun } from "../../core/suites/runSuite.ts";
import { cellsOf } from "../../core/suites/suite.ts";
import type { SuiteCell } from "../../core/suites/suite.ts";
import { readSuiteFiles } from "../../core/suites/suiteFiles.ts";
import { ResultFile } from "../../storage/files/resultFile.ts";
import { ThreadValidator } from "../../workers/responses/threadValidator.ts";
import { askInDialog } from "../compose/send/createSendGate.ts";
import { chatSettings } from "../conversation/chatSettings.ts";
import { requireInferenceProfile } from "../conversation/setupWatch.ts";
import { sha256Hex } from "../shell/digest.ts";
import { chooseTarget, confirmRun } from "./runChoices.ts";
import type { RunChoicesContext } from "./runChoices.ts";
import { readAccepted, suiteFileReader } from "./suiteFile.ts";
import type { OpenedSuite } from "./suiteFile.ts";
import { describeEnd, reportFailure, reportProblems, resultMessages, resultOutput } from "./suiteMessages.ts";
import { suiteOf } from "./suiteTests.ts";
import type { SuiteTests } from "./suiteTests.ts";

/** What a run of a suite needs. */
export interface SuiteRunsContext extends RunChoicesContext {
  readonly redaction: Redaction;
  readonly gate: SendGate;
  readonly extensionUri: vscode.Uri;
  readonly storageUri: vscode.Uri;
}

/** `choose` asks for the profile and the models; `remaining` keeps the results that an earlier run has stored. */
export type RunMode = "all" | "choose" | "remaining";

/** A cell and where its result is shown and stored. */
interface PlannedCell {
  readonly cell: SuiteCell;
  readonly item: vscode.TestItem;
  readonly opened: OpenedSuite;
  readonly profile: Profile;
}

/** What a run sends to one profile for one suite. */
interface PlannedSuite {
  readonly item: vscode.TestItem;
  readonly opened: OpenedSuite;
  readonly profile: Profile;
  readonly cells: readonly PlannedCell[];
  readonly file: ResultFile;
  readonly done: ReadonlyMap<string, CellResult>;
  /** The stored results that the run doesn't replace; undefined if nothing is removed from the file. */
  readonly kept: readonly CellResult[] | undefined;
}

/** Runs rows of the Testing view. */
export class SuiteRuns implements vscode.Disposable {
  readonly #context: SuiteRunsContext;
  readonly #tests: SuiteTests;
  readonly #validator: ThreadValidator;
  /** The last response of a row, which can be accepted. */
  readonly #responses = new WeakMap<vscode.TestItem, string>();
  readonly #running = new Set<SuiteRun>();
  #isDisposed = false;

  constructor(context: SuiteRunsContext, tests: SuiteTests) {
    this.#context = context;
    this.#tests = tests;
    const thread = vscode.Uri.joinPath(context.extensionUri, "dist", "validatorThread.js").fsPath;
    this.#validator = new ThreadValidator({ thread });
  }

  responseOf(item: vscode.TestItem): string | undefined {
    return this.#responses.get(item);
  }

  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, mode: RunMode): Promise<void> {
    const run = this.#tests.controller.createTestRun(request);
    try {
      await this.#run(run, request, token, mode);
    } catch (error) {
      reportFailure(run, request.include ?? (await this.#tests.all()), error);
    } finally {
      run.end();
    }
  }

  /** VS Code doesn't cancel the runs of a window that closes: they would fail one request after the other. */
  dispose(): void {
    this.#isDisposed = true;
    for (const started of this.#running) started.stop();
    this.#validator.dispose();
  }

  async #run(
    run: vscode.TestRun,
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    mode: RunMode,
  ): Promise<void> {
    const planned: PlannedSuite[] = [];
    const included = request.include ?? (await this.#tests.all());
    const target = mode === "choose" ? await chooseTarget(this.#context) : undefined;
    if (mode === "choose" && target === undefined) return;
    for (const suite of new Set(included.map(suiteOf))) {
      const rows = included.filter((item) => suiteOf(item) === suite);
      const plan = await this.#plan(run, suite, included, request.exclude ?? [], mode, target).catch(
        (error: unknown) => reportFailure(run, rows, error),
      );
      if (plan !== undefined) planned.push(plan);
    }
    const open = planned.flatMap(({ cells, done }) => cells.filter(({ cell }) => !done.has(cell.key)));
    for (const { cells, done } of planned)
      for (const cell of cells) {
        const result = done.get(cell.cell.key);
        if (result === undefined) run.enqueued(cell.item);
        else this.#report(run, cell, result);
      }
    const isAllowed = open.length === 0 || (await this.#mayRun(open.map(({ cell }) => cell)));
    if (!isAllowed) return void open.forEach(({ item }) => run.skipped(item));
    for (const suite of planned) {
      if (token.isCancellationRequested || this.#isDisposed) break;
      await this.#runSuite(run, suite, token);
    }
  }

  /** Undefined if the suite has a problem, which is reported at its row. */
  async #plan(
    run: vscode.TestRun,
    item: vscode.TestItem,
    included: readonly vscode.TestItem[],
    excluded: readonly vscode.TestItem[],
    mode: RunMode,
    target: { readonly profile: Profile; readonly models: readonly string[] } | undefined,
  ): Promise<PlannedSuite | undefined> {
    const asked = included.flatMap((row) => this.#tests.rowOf(row) ?? []);
    const opened = item.uri && (await this.#tests.refresh(item.uri));
    if (opened === undefined) return undefined;
    const isWanted = (row: vscode.TestItem): boolean => isWithin(row, included) && !isWithin(row, excluded);
    const wanted = opened.suite.cases.filter(({ name }) => {
      const row = item.children.get(name);
      return row !== undefined && (isWanted(row) || included.some(({ parent }) => parent === row));
    });
    const { files, problems } = await readSuiteFiles(wanted, await suiteFileReader(opened.uri, wanted));
    const all = [...opened.problems, ...problems];
    if (all.length > 0) return reportProblems(run, item, opened, all);
    const profile = target?.profile ?? this.#profileOf(opened);
    const accepted = await readAccepted(opened.uri);
    const { prices } = chatSettings.chatPreferences();
    const context = {
      files,
      target: `${profile.name} ${profile.inferenceBaseUrl ?? ""}`,
      accepted: accepted.find.bind(accepted),
      priceOf: (model: string) => findPrice(model, prices),
      hash: sha256Hex,
    };
    const own = target?.models ?? this.#modelsOf(profile);
    const cells = wanted.flatMap((test) => {
      const named = target !== undefined || test.models.length === 0 ? own : test.models;
      // A row for a model that was chosen for an earlier run can be run again by itself.
      const again = asked.filter((row) => row.test.name === test.name).map(({ model }) => model);
      const models = target === undefined ? [...new Set([...named, ...again])] : named;
      if (models.length === 0)
        throw new Error(
          vscode.l10n.t("The suite doesn't specify a model. Add “models”, or use “Run With…”."),
        );
      return cellsOf(test, models, test.presets, context).flatMap((cell): readonly PlannedCell[] => {
        const row = this.#tests.cellItem(item, cell);
        // Chosen models always run with the whole case.
        return row !== undefined && (target !== undefined || isWanted(row))
          ? [{ cell, item: row, opened, profile }]
          : [];
      });
    });
    return { item, opened, profile, cells, ...(await this.#openResults(opened.uri, cells, mode)) };
  }

  #profileOf({ suite }: OpenedSuite): Profile {
    const { profiles } = this.#context;
    if (suite.profile === undefined) return requireInferenceProfile(profiles);
    const named = profiles.find(suite.profile);
    if (named?.inferenceBaseUrl !== undefined) return named;
    throw new Error(vscode.l10n.t("There is no profile “{0}” with an inference base URL.", suite.profile));
  }

  #modelsOf(profile: Profile): readonly string[] {
    const last = this.#context.models.read(profile.name);
    return last === undefined ? [] : [last];
  }

  /** Nothing is removed before the user has agreed to the run, and the results of what isn't run again are kept. */
  async #openResults(
    uri: vscode.Uri,
    cells: readonly PlannedCell[],
    mode: RunMode,
  ): Promise<Pick<PlannedSuite, "file" | "done" | "kept">> {
    const name = sha256Hex(uri.toString()).slice(0, 32);
    const path = vscode.Uri.joinPath(this.#context.storageUri, "suites", `${name}.jsonl`).fsPath;
    const file = new ResultFile(path, true);
    const stored = parseResults(await file.read());
    if (mode === "remaining") return { file, done: stored, kept: undefined };
    const again = new Set(cells.map(({ cell }) => cell.key));
    return { file, done: new Map(), kept: [...stored.values()].filter(({ key }) => !again.has(key)) };
  }

  /** Whether the user agrees to what is sent: everything passes the guard once, before the first request. */
  async #mayRun(cells: readonly SuiteCell[]): Promise<boolean> {
    if (!(await confirmRun(this.#context, cells))) return false;
    const texts = new Map(
      cells.flatMap(({ request }) =>
        request.messages.map((message) => [JSON.stringify(message), message] as const),
      ),
    );
    const everything = { model: "", stream: true, messages: [...texts.values()] };
    const place = vscode.l10n.t("a prompt");
    return (await this.#context.gate.passRequest(everything, askInDialog, undefined, place)) !== undefined;
  }

  async #runSuite(run: vscode.TestRun, suite: PlannedSuite, token: vscode.CancellationToken): Promise<void> {
    const { cells, done, file, kept, opened, profile } = suite;
    if (kept !== undefined)
      await file.rewrite(kept.map((result) => formatResult(result, (text) => text)).join(""));
    const open = cells.filter(({ cell }) => !done.has(cell.key));
    const places = new Map(open.map((planned) => [planned.cell, planned]));
    const finished = new Set<SuiteCell>();
    const { clients, gate, redaction } = this.#context;
    const { prices } = chatSettings.chatPreferences();
    const client = await clients.inference(profile);
    if (this.#isDisposed) return;
    const started = startCells(
      open.map(({ cell }) => cell),
      {
        // The user was asked about the whole run, so anything else that looks like a secret is masked.
        port: guardCompletion(client, (request) => gate.passRequest(request)),
        validator: this.#validator,
        locale: vscode.env.language,
        concurrency: opened.suite.concurrency,
        priceOf: (model) => findPrice(model, prices),
        redact: (text) => redaction.redact(text),
        monotonic: () => performance.now(),
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        onStart: (cell) => {
          const planned = places.get(cell);
          if (planned !== undefined) run.started(planned.item);
        },
        onResult: (cell, result) => {
          const planned = places.get(cell);
          finished.add(cell);
          file.append(formatResult(result, (text) => redaction.redact(text)));
          if (planned !== undefined) this.#report(run, planned, result);
        },
      },
    );
    const isDeleted = (): boolean => !this.#tests.isListed(suite.item);
    const stop = (): void => {
      if (token.isCancellationRequested || isDeleted()) started.stop();
    };
    stop();
    const ends = vscode.Disposable.from(token.onCancellationRequested(stop), this.#tests.onDidRemove(stop));
    this.#running.add(started);
    const error = await started.ended.finally(() => {
      ends.dispose();
      this.#running.delete(started);
    });
    for (const { cell, item } of open) if (!finished.has(cell)) run.skipped(item);
    const missing = open.length - finished.size;
    run.appendOutput(describeEnd({ error, missing, deleted: isDeleted() ? suite.item.label : undefined }));
  }

  #report(run: vscode.TestRun, planned: PlannedCell, result: CellResult): void {
    const { item, opened, cell } = planned;
    this.#responses.set(item, result.response);
    // No location, because VS Code would then show the beginning of the response in the editor, for only one model of
    // the case.
    run.appendOutput(resultOutput(cell, result, vscode.env.language), undefined, item);
    const messages = resultMessages(opened, cell, result);
    if (result.outcome === "passed") run.passed(item, result.totalMs);
    else if (result.outcome === "failed") run.failed(item, messages, result.totalMs);
    else run.errored(item, messages, result.totalMs);
  }
}

/** Whether the row or one of those above it is in the list. */
function isWithin(item: vscode.TestItem, list: readonly vscode.TestItem[]): boolean {
  return list.includes(item) || (item.parent !== undefined && isWithin(item.parent, list));
}
