import * as vscode from "vscode";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { formatNumber, formatDate } from "../../core/kernel/formatTime.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { requestCode } from "../../core/responses/exchange/copyCode.ts";
import type { CodeLanguage } from "../../core/responses/exchange/copyCode.ts";
import type { Exchange } from "../../core/responses/exchange/exchange.ts";
import { readReplay } from "../../core/responses/exchange/replay.ts";
import { describeRow, keepSetting, ledgerDocument } from "../../core/responses/usage/ledgerDocument.ts";
import type { LedgerRow } from "../../core/responses/usage/ledgerRow.ts";
import { SecretFinder, createSendGate } from "../compose/send/createSendGate.ts";
import { pickItem } from "../shell/pickItem.ts";
import { TextDocuments } from "../shell/textDocuments.ts";
import {
  confirmRisk,
  setStatusBarMessage,
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  showQuickPick,
  withProgress,
} from "../shell/window.ts";
import type { NativeChatServices } from "./createNativeChat.ts";
import { EnginePorts } from "./enginePorts.ts";

/** As many rows as a list shows without delay. */
const mostRows = 1_000;
const shownMs = 92 * 86_400_000;

/**
 * The requests of every part of the extension, and of other extensions that use its models: to inspect, copy and send
 * again.
 */
export class RequestHistory implements vscode.Disposable {
  readonly #context: NativeChatServices;
  readonly #documents = new TextDocuments("inference-gateway-ledger");
  readonly #ports: EnginePorts;

  constructor(context: NativeChatServices) {
    this.#context = context;
    this.#ports = new EnginePorts({
      ...context,
      gate: createSendGate(new SecretFinder(context), context.ledger),
    });
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
      placeholder: vscode.l10n.t("Select a request to inspect it, copy it, or send it again"),
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
      { label: `$(refresh) ${vscode.l10n.t("Send Again…")}`, run: () => this.#sendAgain(row) },
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

  /** Sends the same request as a new one: it passes the guard and the budget, and has its own entry. */
  async #sendAgain(row: LedgerRow): Promise<void> {
    const sent = (await this.#find(row))?.attempts.at(-1)?.request;
    if (sent === undefined) return this.#reportMissing(row);
    const profile = this.#context.profiles.find(row.profile);
    if (profile?.inferenceBaseUrl === undefined) {
      void showErrorMessage(
        vscode.l10n.t("The profile “{0}” of this request no longer exists.", row.profile),
      );
      return;
    }
    const replay = readReplay(sent.body, profile.inferenceBaseUrl);
    if (replay.state !== "ready") {
      if (sent.body === "") return reportUnkept();
      const sentence =
        replay.state === "incomplete"
          ? vscode.l10n.t("This request can't be sent again, because its images and audio aren't stored.")
          : vscode.l10n.t("This request can't be sent again, because it isn't a chat request.");
      return void showInformationMessage(sentence);
    }
    const isSure = await confirmRisk({
      question: vscode.l10n.t("Send this request again?"),
      detail: `${row.model} · ${row.profile}\n${vscode.l10n.t("Messages: {0}", formatNumber(replay.request.messages.length))}`,
      accept: vscode.l10n.t("Send"),
      decline: vscode.l10n.t("Don't Send"),
      isExpected: true,
    });
    if (!isSure) return;
    const text = await withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Waiting for {0}…", row.model),
        cancellable: true,
      },
      (_progress, token) => this.#complete(replay.request, row.profile, token),
    );
    if (text === undefined) return;
    // Not an untitled document, which would ask to be saved. The response is also kept with its request.
    const name = `${vscode.l10n.t("Response")} ${row.model}.md`;
    const uri = this.#documents.create(name, `response-${row.id}-${Date.now()}`, text);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  /** The text of the response with its tool calls. Undefined if it failed or was stopped before it began. */
  async #complete(
    request: Parameters<ReturnType<EnginePorts["find"]>["complete"]>[0],
    profile: string,
    token: vscode.CancellationToken,
  ): Promise<string | undefined> {
    const run = this.#ports.find(profile).complete(request, { purpose: "replay" });
    const cancellation = token.onCancellationRequested(() => run.stop());
    let text = "";
    try {
      for await (const event of run.events) {
        if (event.type === "text") text += event.text;
        if (event.type === "toolCall")
          text += `${event.name === undefined ? "" : `\n\n${event.name}: `}${event.arguments}`;
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      void showErrorMessage(error.message);
    } finally {
      cancellation.dispose();
    }
    return text === "" ? undefined : text;
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
