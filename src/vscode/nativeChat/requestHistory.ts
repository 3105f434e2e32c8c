import * as vscode from "vscode";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { formatDate } from "../../core/kernel/formatTime.ts";
import { requestCode } from "../../core/responses/exchange/copyCode.ts";
import type { CodeLanguage } from "../../core/responses/exchange/copyCode.ts";
import type { Exchange } from "../../core/responses/exchange/exchange.ts";
import { describeRow, keepSetting, ledgerDocument } from "../../core/responses/usage/ledgerDocument.ts";
import type { LedgerRow } from "../../core/responses/usage/ledgerRow.ts";
import { pickItem } from "../shell/pickItem.ts";
import { TextDocuments } from "../shell/textDocuments.ts";
import {
  setStatusBarMessage,
  showConfirmation,
  showInformationMessage,
  showQuickPick,
} from "../shell/window.ts";
import type { NativeChatServices } from "./createNativeChat.ts";

/** As many rows as a list shows without delay. */
const mostRows = 1_000;
const shownMs = 92 * 86_400_000;

/** The requests of every part of the extension, and of other extensions that use its models: to inspect and copy. */
export class RequestHistory implements vscode.Disposable {
  readonly #context: NativeChatServices;
  readonly #documents = new TextDocuments("inference-gateway-ledger");

  constructor(context: NativeChatServices) {
    this.#context = context;
  }

  /** Lists the latest requests. Selecting one offers what can be done with it. */
  async show(): Promise<void> {
    const ledger = await this.#context.ledger();
    const rows = (await ledger.read(Date.now() - shownMs)).slice(0, mostRows);
    if (rows.length === 0) return showConfirmation(vscode.l10n.t("No request has been sent yet."));
    const inspect = { iconPath: new vscode.ThemeIcon("inspect"), tooltip: vscode.l10n.t("Inspect Request") };
    const items = rows.map((row) => ({
      label: escapeCodicons(row.model),
      description: formatDate(row.startedAt),
      detail: escapeCodicons(describeRow(row, vscode.env.language)),
      buttons: [inspect],
      row,
    }));
    const picked = await pickItem(items, {
      title: vscode.l10n.t("Requests"),
      placeholder: vscode.l10n.t("Select a request to inspect or copy"),
    });
    if (picked === undefined) return;
    const { row } = picked.item;
    await (picked.button === undefined ? this.#offer(row) : this.#inspect(row));
  }

  dispose(): void {
    this.#documents.dispose();
  }

  async #offer(row: LedgerRow): Promise<void> {
    const copy = (language: CodeLanguage) => () => this.#copy(row, language);
    const items = [
      { label: `$(inspect) ${vscode.l10n.t("Inspect Request")}`, run: () => this.#inspect(row) },
      { label: `$(copy) ${vscode.l10n.t("Copy as curl")}`, run: copy("curl") },
      { label: `$(copy) ${vscode.l10n.t("Copy as Python")}`, run: copy("python") },
      { label: `$(copy) ${vscode.l10n.t("Copy as JavaScript")}`, run: copy("javascript") },
    ];
    const picked = await showQuickPick(items, {
      title: escapeCodicons(row.model),
      placeHolder: describeRow(row, vscode.env.language),
    });
    await picked?.run();
  }

  async #find(row: LedgerRow): Promise<Exchange | undefined> {
    return (await this.#context.ledger()).exchanges?.find(row.id);
  }

  async #inspect(row: LedgerRow): Promise<void> {
    const text = ledgerDocument(row, await this.#find(row), vscode.env.language);
    const name = `${vscode.l10n.t("Request")} ${row.model}.jsonc`;
    const document = await vscode.workspace.openTextDocument(
      this.#documents.create(name, `${row.id}-${Date.now()}`, text),
    );
    await vscode.window.showTextDocument(document, { preview: true });
  }

  async #copy(row: LedgerRow, language: CodeLanguage): Promise<void> {
    const request = (await this.#find(row))?.attempts.at(-1)?.request;
    if (request === undefined) return this.#reportMissing(row);
    if (request.body === "") return reportUnkept();
    await vscode.env.clipboard.writeText(requestCode(request, language));
    setStatusBarMessage(vscode.l10n.t("$(check) Request copied"), 3_000);
  }

  #reportMissing({ outcome }: LedgerRow): void {
    void showInformationMessage(
      outcome === "refused"
        ? vscode.l10n.t("Nothing was sent for this entry.")
        : vscode.l10n.t("The request itself isn't available: nothing was sent, or it is too old."),
    );
  }
}

async function reportUnkept(): Promise<void> {
  const open = vscode.l10n.t("Open Settings");
  const sentence = vscode.l10n.t(
    "The content of this request isn't kept. The setting “{0}” controls this.",
    keepSetting,
  );
  if ((await showInformationMessage(sentence, open)) === open)
    await vscode.commands.executeCommand("workbench.action.openSettings", keepSetting);
}
