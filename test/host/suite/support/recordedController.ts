import * as vscode from "vscode";

type Handler = vscode.TestRunProfile["runHandler"];

/** A test controller whose runs are started and observed by a test: VS Code's API doesn't show their results. */
export class RecordedController {
  readonly controller: vscode.TestController;
  readonly #handlers = new Map<string, Handler>();
  #last = new Map<vscode.TestItem, string>();
  #onOutcome: (count: number) => void = () => undefined;
  messages: vscode.TestMessage[] = [];
  output = "";

  constructor(controller: vscode.TestController) {
    this.controller = new Proxy<Partial<vscode.TestController>>(
      {},
      {
        get: (_, name) => {
          if (name === "createTestRun")
            return (request: vscode.TestRunRequest) => this.#record(controller.createTestRun(request));
          if (name === "createRunProfile")
            return (
              label: string,
              kind: vscode.TestRunProfileKind,
              handler: Handler,
              isDefault?: boolean,
            ) => {
              this.#handlers.set(label, handler);
              return controller.createRunProfile(label, kind, handler, isDefault);
            };
          const value: unknown = Reflect.get(controller, name, controller);
          return typeof value === "function" ? value.bind(controller) : value;
        },
        set: (_, name, value) => Reflect.set(controller, name, value, controller),
      },
    ) as vscode.TestController;
  }

  /** Runs the items with this run profile. */
  async run(
    profile: string,
    include: readonly vscode.TestItem[],
    {
      cancelAfter = Infinity,
      onOutcome,
    }: {
      readonly cancelAfter?: number;
      /** Called with the number of items that have passed or failed. */
      readonly onOutcome?: (count: number) => void;
    } = {},
  ): Promise<void> {
    this.#last = new Map();
    this.messages = [];
    this.output = "";
    const cancellation = new vscode.CancellationTokenSource();
    this.#onOutcome = (count) => {
      if (count >= cancelAfter) cancellation.cancel();
      onOutcome?.(count);
    };
    const handler = this.#handlers.get(profile);
    if (handler === undefined) throw new Error(`There is no run profile ${profile}.`);
    await handler(new vscode.TestRunRequest(include), cancellation.token);
    cancellation.dispose();
  }

  /** The last state of each item, as `passed CASE / MODEL`, in the order of the items. */
  outcomes(): readonly string[] {
    return [...this.#last].map(([item, state]) => {
      const path = item.parent?.parent === undefined ? item.label : `${item.parent.label} / ${item.label}`;
      return `${state} ${path}`;
    });
  }

  #record(run: vscode.TestRun): vscode.TestRun {
    const note = (item: vscode.TestItem, state: string): void => {
      this.#last.set(item, state);
      this.#onOutcome([...this.#last.values()].filter((one) => one === "passed" || one === "failed").length);
    };
    const keep = (messages: vscode.TestMessage | readonly vscode.TestMessage[]): void => {
      this.messages.push(...[messages].flat());
    };
    return {
      name: run.name,
      token: run.token,
      isPersisted: run.isPersisted,
      enqueued: (item) => (note(item, "enqueued"), run.enqueued(item)),
      started: (item) => (note(item, "started"), run.started(item)),
      skipped: (item) => (note(item, "skipped"), run.skipped(item)),
      passed: (item, ms) => (note(item, "passed"), run.passed(item, ms)),
      failed: (item, messages, ms) => (note(item, "failed"), keep(messages), run.failed(item, messages, ms)),
      errored: (item, messages, ms) => (
        note(item, "errored"),
        keep(messages),
        run.errored(item, messages, ms)
      ),
      appendOutput: (text, location, item) => {
        this.output += text;
        run.appendOutput(text, location, item);
      },
      addCoverage: (coverage) => run.addCoverage(coverage),
      onDidDispose: run.onDidDispose,
      end: () => run.end(),
    };
  }
}
