import { createHash } from "node:crypto";
import { lstat, readFile, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Redaction } from "./core/account/redaction.ts";
import { findPrice, parsePrices } from "./core/conversation/prices.ts";
import type { PriceTable } from "./core/conversation/prices.ts";
import { parsePresets } from "./core/conversation/presets.ts";
import { junitReport } from "./core/suites/junit.ts";
import { longestSuite, parseSuite, presetOf } from "./core/suites/parseSuite.ts";
import { AcceptedResponses, formatResult, parseResults } from "./core/suites/results.ts";
import { acceptedPath, isSuitePath } from "./core/suites/suitePath.ts";
import { startCells } from "./core/suites/runSuite.ts";
import type { CellResult } from "./core/suites/results.ts";
import type { SuiteRun } from "./core/suites/runSuite.ts";
import { positionIn } from "./core/suites/sourceNode.ts";
import { cellLabel, cellsOf } from "./core/suites/suite.ts";
import type { SuiteCell } from "./core/suites/suite.ts";
import { readSuiteFiles } from "./core/suites/suiteFiles.ts";
import { createInferenceClient } from "./gateway/completion/inferenceClient.ts";
import { createTransport } from "./gateway/http/undiciTransport.ts";
import { UsageError, help, numberOf, readOptions, readService } from "./promptOptions.ts";
import type { Options, Service } from "./promptOptions.ts";
import { ResultFile } from "./storage/files/resultFile.ts";
import { ThreadValidator } from "./workers/responses/threadValidator.ts";
import { readInside } from "./workers/suites/fileContent.ts";
import { readYaml } from "./workers/suites/readYaml.ts";
import { messageOf } from "./core/kernel/thrown.ts";

/** Exit codes. */
const [passed, failed, wrong, incomplete] = [0, 1, 2, 3];

interface LoadedSuite {
  readonly path: string;
  readonly acceptedPath: string;
  readonly concurrency: number;
  readonly accepted: AcceptedResponses;
  readonly cells: readonly SuiteCell[];
}

/** Throws a UsageError with every problem of the suite, each with its line and column. */
async function loadSuite(
  path: string,
  baseUrl: string,
  options: Options,
  prices: PriceTable,
): Promise<LoadedSuite> {
  // The name of the file with accepted responses is derived from that of the suite.
  if (!isSuitePath(path))
    throw new UsageError(
      `${path} isn't a prompt suite. The name of a suite ends in .prompts.yaml or .prompts.json.`,
    );
  const { size } = await stat(path).catch(() => ({ size: -1 }));
  if (size < 0) throw new UsageError(`${path} couldn't be read.`);
  if (size > longestSuite) throw new UsageError(`${path} is larger than 2 MB.`);
  const text = await readFile(path, "utf8");
  const fail = (
    problems: readonly { readonly range: { readonly start: number }; readonly message: string }[],
  ) =>
    new UsageError(
      problems
        .map(({ range, message }) => {
          const { line, column } = positionIn(text, range.start);
          return `${path}:${line}:${column}: ${message}`;
        })
        .join("\n"),
    );
  const yaml = readYaml(text);
  if ("problem" in yaml) throw fail([yaml.problem]);
  const { suite, problems } = parseSuite(yaml.root, parsePresets(undefined).map(presetOf));
  if (problems.length > 0) throw fail(problems);
  const cases = suite.cases.filter(({ name }) => name.includes(options.case ?? ""));
  const found = await readSuiteFiles(cases, (file) => readInside(path, file));
  if (found.problems.length > 0) throw fail(found.problems);
  const besides = acceptedPath(path);
  if (options.accept && (await lstat(besides).catch(() => undefined))?.isSymbolicLink() === true)
    throw new UsageError(
      `${besides} is a link. Responses can only be accepted into a file next to the suite.`,
    );
  const accepted = AcceptedResponses.parse(await readFile(besides, "utf8").catch(() => ""));
  if (accepted === undefined) throw new UsageError(`${besides} isn't a file with accepted responses.`);
  const seed = numberOf("seed", options.seed, 0);
  const context = {
    files: found.files,
    target: baseUrl,
    accepted: accepted.find.bind(accepted),
    priceOf: (model: string) => findPrice(model, prices),
    hash: (value: string) => createHash("sha256").update(value).digest("hex"),
    ...(seed === undefined ? {} : { seed }),
  };
  // As in a suite, a model that is named twice is one model.
  const named = options.model && [...new Set(options.model)];
  const cells = cases.flatMap((test) => {
    const models = named ?? test.models;
    if (models.length === 0)
      throw new UsageError(`${path} doesn't specify a model. Add “models”, or use --model.`);
    return cellsOf(test, models, test.presets, context);
  });
  const concurrency = numberOf("concurrency", options.concurrency, 1) ?? suite.concurrency;
  return { path, acceptedPath: besides, concurrency, accepted, cells };
}

async function loadPrices(path: string | undefined): Promise<PriceTable> {
  if (path === undefined) return {};
  try {
    return parsePrices(JSON.parse(await readFile(path, "utf8")));
  } catch {
    throw new UsageError(`${path} isn't a JSON file with prices.`);
  }
}

/** Sends the requests that have no result yet. Printed and written output contains no credentials. */
class CommandLineRun {
  readonly #options: Options;
  readonly #service: Service;
  readonly #prices: PriceTable;
  readonly #redaction = new Redaction();
  readonly #redact = (text: string): string => this.#redaction.redact(text);
  readonly #results = new Map<string, CellResult>();
  readonly #file: ResultFile | undefined;
  readonly #validator: ThreadValidator;
  #running: SuiteRun | undefined;
  #isInterrupted = false;

  constructor(options: Options, service: Service, prices: PriceTable, thread: string | URL) {
    this.#validator = new ThreadValidator({ thread });
    this.#options = options;
    this.#service = service;
    this.#prices = prices;
    if (service.apiKey !== undefined) this.#redaction.remember(service.apiKey);
    this.#file = options.resume === undefined ? undefined : new ResultFile(resolve(options.resume), false);
  }

  /** Resolves to the exit code. */
  async run(suites: readonly LoadedSuite[]): Promise<number> {
    for (const result of parseResults((await this.#file?.read()) ?? "").values())
      this.#results.set(result.key, result);
    const all = suites.flatMap(({ cells }) => cells);
    if (all.length === 0) throw new UsageError("There are no cases to run.");
    const open = all.filter(({ key }) => !this.#results.has(key));
    const judges = open.flatMap(({ checks }) => checks.filter(({ type }) => type === "judge"));
    const most = numberOf("max-requests", this.#options["max-requests"], 1) ?? 1_000;
    if (open.length + judges.length > most)
      throw new UsageError(
        `The run needs ${open.length + judges.length} requests, more than --max-requests ${most}.`,
      );
    process.once("SIGINT", () => this.#interrupt());
    process.once("SIGTERM", () => this.#interrupt());
    for (const suite of suites) await this.#runSuite(suite);
    this.#validator.dispose();
    if (this.#options.accept) await this.#accept(suites);
    if (this.#options.junit !== undefined)
      await writeFile(
        this.#options.junit,
        junitReport(
          suites.map((suite) => ({ ...suite, results: this.#results })),
          this.#redact,
        ),
      );
    return this.#summarize(all);
  }

  async #runSuite({ cells, concurrency }: LoadedSuite): Promise<void> {
    if (this.#isInterrupted) return;
    const { baseUrl, apiKey } = this.#service;
    const userAgent = "inference-gateway-prompts";
    const checks = { strictSsl: true, useSystemCertificates: true };
    const network = { ...checks, noProxy: [], proxySupport: "override", environment: process.env } as const;
    const transport = createTransport({ network: () => network, userAgent, now: () => Date.now() });
    const port = createInferenceClient({
      ...{ transport, baseUrl, userAgent },
      readApiKey: async () => apiKey,
      timeoutMs: () => 600_000,
      allowInsecureHttp: false,
    });
    // A pending pause must not keep the process running once it is no longer needed.
    const over = new AbortController();
    this.#running = startCells(
      cells.filter(({ key }) => !this.#results.has(key)),
      {
        ...{ port, concurrency, validator: this.#validator, locale: "en" },
        priceOf: (model) => findPrice(model, this.#prices),
        redact: this.#redact,
        monotonic: () => performance.now(),
        pause: (ms) => wait(ms, undefined, { signal: over.signal }).catch(() => undefined),
        onStart: () => undefined,
        onResult: (cell, result) => this.#note(cell, result),
      },
    );
    const error = await this.#running.ended.finally(() => over.abort());
    await transport.close();
    if (error === undefined) return;
    this.#isInterrupted = true;
    print(this.#redact(`The run ended because every remaining request would fail, too: ${error.message}`));
  }

  #note(cell: SuiteCell, result: CellResult): void {
    this.#results.set(cell.key, result);
    this.#file?.append(formatResult(result, this.#redact));
    if (this.#options.quiet && result.outcome === "passed") return;
    const reasons =
      result.outcome === "error" ? [result.error ?? ""] : result.failures.map(({ message }) => message);
    const head = `${result.outcome.padEnd(6)} ${cell.test.name} [${cellLabel(cell.model, cell.preset)}] ${result.totalMs} ms`;
    print(this.#redact([head, ...reasons.map((reason) => `       ${reason}`)].join("\n")));
  }

  #interrupt(): void {
    this.#isInterrupted = true;
    this.#running?.stop();
  }

  async #accept(suites: readonly LoadedSuite[]): Promise<void> {
    for (const { acceptedPath: path, accepted, cells } of suites) {
      const responses = cells.flatMap(({ key, test, model, preset }) => {
        const result = this.#results.get(key);
        if (result === undefined || result.outcome === "error") return [];
        return [{ case: test.name, model, preset: preset.name, response: this.#redact(result.response) }];
      });
      if (responses.length > 0) await writeFile(path, accepted.with(responses).format());
    }
  }

  #summarize(cells: readonly SuiteCell[]): number {
    const count = (outcome: CellResult["outcome"] | undefined): number =>
      cells.filter(({ key }) => this.#results.get(key)?.outcome === outcome).length;
    const [good, bad, errors, rest] = [count("passed"), count("failed"), count("error"), count(undefined)];
    print(`${good} passed, ${bad} failed, ${errors} errors, ${rest} not run`);
    if (errors + rest > 0) return incomplete;
    return bad > 0 ? failed : passed;
  }
}

/** Text from a model can't control the terminal. */
function print(text: string): void {
  process.stdout.write(`${text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd")}\n`);
}

/**
 * Runs the command line and resolves to its exit code.
 * @param validatorThread Path of the built `validatorThread`.
 */
export async function runPromptSuites(
  args: readonly string[],
  validatorThread: string | URL,
): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.help) print(help);
    if (options.help) return passed;
    if (options.files.length === 0) throw new UsageError(help);
    const service = readService(options);
    const prices = await loadPrices(options.prices);
    const suites: LoadedSuite[] = [];
    for (const file of options.files) suites.push(await loadSuite(file, service.baseUrl, options, prices));
    return await new CommandLineRun(options, service, prices, validatorThread).run(suites);
  } catch (error) {
    // Options that don't exist are reported by a TypeError.
    const isUsage = error instanceof UsageError || error instanceof TypeError;
    process.stderr.write(`${messageOf(error)}\n`);
    return isUsage ? wrong : incomplete;
  }
}
