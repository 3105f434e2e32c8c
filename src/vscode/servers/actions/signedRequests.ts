import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { redactionMark } from "../../../core/account/redaction.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import { ServiceError, logFailure } from "../../../core/kernel/errors.ts";
import { originOf } from "../../../core/kernel/httpAddress.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { requestBases, responseDocument } from "../../../core/servers/actions/signedRequest.ts";
import type {
  RequestBase,
  SignedRequestDraft,
  SignedResponse,
} from "../../../core/servers/actions/signedRequest.ts";
import type { Profiles } from "../../account/profiles/profiles.ts";
import type { Clients } from "../../shell/clientFactory.ts";
import { createPause } from "../../shell/pause.ts";
import { TextDocuments } from "../../shell/textDocuments.ts";
import { showConfirmation, showErrorMessage, showQuickPick, withLateProgress } from "../../shell/window.ts";
import { askRequest, confirmRequest } from "./askRequest.ts";

/** What custom signed requests need. */
export interface SignedRequestContext {
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly redaction: Redaction;
  readonly log: Log;
}

/** Sends requests that aren't part of the interface, each after confirmation, and shows the responses. */
export class SignedRequests implements vscode.Disposable {
  readonly #context: SignedRequestContext;
  /** Responses are read-only documents, which are never saved. */
  readonly #documents = new TextDocuments("inference-gateway-response");
  #count = 0;

  constructor(context: SignedRequestContext) {
    this.#context = context;
  }

  /** Asks for a request to the gateway, or to the inference service. */
  async run(): Promise<void> {
    const target = await chooseTarget(this.#context.profiles);
    if (target === undefined) return;
    const { profile, base } = target;
    const draft = await askRequest(profile, base);
    if (draft === undefined || !(await confirmRequest(profile, draft))) return;
    await this.#sendAndShow(profile, draft);
  }

  async #sendAndShow(profile: Profile, draft: SignedRequestDraft): Promise<void> {
    try {
      const answer = await this.#send(profile, draft);
      if (answer === undefined) return;
      const { text, languageId } = responseDocument(answer);
      const { hideAllSecrets } = await import("../../../core/account/secrets/scanSecrets.ts");
      const redacted = await hideAllSecrets(
        this.#context.redaction.redact(text),
        redactionMark,
        createPause(),
      );
      await this.#show(`${draft.method} ${draft.path}`, redacted, languageId);
    } catch (error) {
      logFailure(this.#context.log, error);
      const failed = vscode.l10n.t("The request couldn't be sent. See the log for details.");
      const message = error instanceof ServiceError ? error.message : failed;
      if (!(error instanceof ServiceError) || error.reason !== "budget")
        return void showErrorMessage(message);
      const edit = vscode.l10n.t("Edit Budget…");
      if ((await showErrorMessage(message, edit)) === edit)
        await vscode.commands.executeCommand(
          "workbench.action.openSettings",
          "@id:inferenceGateway.chat.budget",
        );
    }
  }

  async #show(name: string, text: string, languageId: string): Promise<void> {
    const extension = languageId === "jsonc" ? "jsonc" : "txt";
    const uri = this.#documents.create(`${name}.${extension}`, String(++this.#count), text);
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.languageId !== languageId)
      await vscode.languages.setTextDocumentLanguage(document, languageId);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#documents.dispose();
  }

  /** Undefined if the user cancels. Whether the gateway has already processed the request is unknown. */
  async #send(profile: Profile, draft: SignedRequestDraft): Promise<SignedResponse | undefined> {
    const title = vscode.l10n.t("“{0}”: {1} {2}", profile.name, draft.method, draft.path);
    return withLateProgress(title, async ({ signal }) => {
      try {
        return await this.#context.clients.sendSigned(profile, draft, signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    });
  }
}

/** The service that receives the request: the only one with an address, or one that the user picks. */
async function chooseTarget(
  profiles: Profiles,
): Promise<{ readonly profile: Profile; readonly base: RequestBase } | undefined> {
  const items = profiles.all.flatMap((profile) =>
    requestBases.flatMap((base) => {
      const address = base === "inference" ? profile.inferenceBaseUrl : profile.gatewayUrl;
      if (address === undefined) return [];
      const label = base === "inference" ? vscode.l10n.t("Inference API") : vscode.l10n.t("GPU gateway");
      const inUse = profile.name === profiles.active?.name ? [vscode.l10n.t("in use")] : [];
      const description = [originOf(address) ?? "", ...inUse].join(" · ");
      return [{ label: `${label} · ${escapeCodicons(profile.name)}`, description, profile, base }];
    }),
  );
  if (items.length === 0)
    showConfirmation(vscode.l10n.t("No profile has an address to send the request to."));
  if (items.length < 2) return items[0];
  const placeHolder = vscode.l10n.t("Select where to send the request");
  return showQuickPick(items, {
    title: vscode.l10n.t("Send Request"),
    placeHolder,
    matchOnDescription: true,
  });
}
