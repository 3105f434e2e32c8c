import * as vscode from "vscode";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import { createSendGate, SecretFinder } from "../compose/send/createSendGate.ts";
import { showConfirmation, showErrorMessage } from "../shell/window.ts";
import { writeAccepted } from "./suiteFile.ts";
import { SuiteRuns } from "./suiteRuns.ts";
import type { RunMode, SuiteRunsContext } from "./suiteRuns.ts";
import { SuiteTests, suiteOf } from "./suiteTests.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** What prompt suites need. The gate that guards their requests is created from it. */
export interface SuitesContext extends Omit<SuiteRunsContext, "gate"> {
  readonly vault: SecretVault;
  ledger(): Promise<Ledger>;
}

const controllerId = "inferenceGateway.suites";

/** Prompt suites in VS Code's Testing view. */
export class Suites implements vscode.Disposable {
  readonly tests: SuiteTests;
  readonly #context: SuitesContext;
  readonly #runs: SuiteRuns;

  constructor(
    context: SuitesContext,
    controller = vscode.tests.createTestController(controllerId, vscode.l10n.t("Prompt Suites")),
  ) {
    this.#context = context;
    this.tests = new SuiteTests(controller);
    const gate = createSendGate(new SecretFinder(context), () => context.ledger());
    this.#runs = new SuiteRuns({ ...context, ledger: () => context.ledger(), gate }, this.tests);
    const offer = (label: string, mode: RunMode, isDefault: boolean): void => {
      controller.createRunProfile(
        label,
        vscode.TestRunProfileKind.Run,
        (request, token) => this.#runs.run(request, token, mode),
        isDefault,
      );
    };
    offer(vscode.l10n.t("Run"), "all", true);
    offer(vscode.l10n.t("Run the Remaining Cases"), "remaining", false);
    offer(vscode.l10n.t("Run With…"), "choose", false);
  }

  /** Accepts the last response of these rows, or of all rows below them. */
  async accept(clicked: unknown, selected: unknown): Promise<void> {
    const chosen = Array.isArray(selected) ? selected.map(itemIn) : [itemIn(clicked)];
    const cells = new Set(chosen.flatMap((item) => (item === undefined ? [] : this.#cellsBelow(item))));
    let count = 0;
    for (const suite of new Set([...cells].map(suiteOf))) {
      const items = [...cells].filter((item) => suiteOf(item) === suite);
      const responses = items.flatMap((item) => {
        const [row, response] = [this.tests.rowOf(item), this.#runs.responseOf(item)];
        if (row === undefined || response === undefined) return [];
        return [{ case: row.test.name, model: row.model, preset: row.preset.name, response }];
      });
      const isSecret = responses.some(({ response }) => this.#context.redaction.find(response).length > 0);
      if (isSecret)
        return void showErrorMessage(
          vscode.l10n.t("The response contains one of your credentials and wasn't accepted."),
        );
      if (suite.uri === undefined || responses.length === 0) continue;
      if (!(await writeAccepted(suite.uri, responses))) return;
      count += responses.length;
      this.tests.controller.invalidateTestResults(items);
    }
    showConfirmation(acceptedHint(count));
  }

  dispose(): void {
    this.#runs.dispose();
    this.tests.dispose();
  }

  #cellsBelow(item: vscode.TestItem): readonly vscode.TestItem[] {
    if (this.tests.rowOf(item) !== undefined) return [item];
    return [...item.children].flatMap(([, child]) => this.#cellsBelow(child));
  }
}

/** The row itself, or the row of a message. */
function itemIn(clicked: unknown): vscode.TestItem | undefined {
  if (typeof clicked !== "object" || clicked === null) return undefined;
  if ("test" in clicked) return itemIn(clicked.test);
  return isTestItem(clicked) ? clicked : undefined;
}

function isTestItem(value: object): value is vscode.TestItem {
  return "id" in value && "children" in value && "label" in value;
}

function acceptedHint(count: number): string {
  if (count === 0) return vscode.l10n.t("There is no response to accept yet. Run the case first.");
  return count === 1
    ? vscode.l10n.t("The response was accepted. Later responses are compared with it.")
    : vscode.l10n.t("{0} responses accepted. Later responses are compared with them.", formatNumber(count));
}
