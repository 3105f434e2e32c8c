import * as vscode from "vscode";
import type { Profile } from "../../../core/account/profile.ts";
import { redactionMark } from "../../../core/account/redaction.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import { ServiceError, logFailure } from "../../../core/kernel/errors.ts";
import { originOf } from "../../../core/kernel/httpAddress.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { addToHistory, parseHistory } from "../../../core/servers/signedRequest/savedRequest.ts";
import { responseDocument } from "../../../core/servers/signedRequest/signedRequest.ts";
import type {
  SignedRequestDraft,
  SignedResponse,
} from "../../../core/servers/signedRequest/signedRequest.ts";
import type { SavedRequest, HistoryEntry } from "../../../core/servers/signedRequest/savedRequest.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import type { Profiles } from "../../account/profiles/profiles.ts";
import type { Clients } from "../../shell/clientFactory.ts";
import { createPause } from "../../shell/pause.ts";
import { TextDocuments } from "../../shell/textDocuments.ts";
import { showConfirmation, showErrorMessage, showQuickPick, withProgress } from "../../shell/window.ts";
import { askRequest, confirmRequest, chooseSavedRequest } from "./askRequest.ts";

/** Responses as read-only documents, which are never saved. */
class SignedResponseDocuments implements vscode.Disposable {
  readonly #documents = new TextDocuments("inference-gateway-response");
  #count = 0;

  async show(name: string, text: string, languageId: string): Promise<void> {
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
}

/** What custom signed requests need. Earlier requests are kept in the global state, without secrets. */
export interface SignedRequestContext {
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly redaction: Redaction;
  readonly log: Log;
  readonly globalState: vscode.Memento;
}

const historyKey = "inferenceGateway.signedRequests";

/** Sends requests that aren't part of the interface, each after confirmation, and shows the responses. */
export class SignedRequests implements vscode.Disposable {
  readonly #context: SignedRequestContext;
  readonly #documents = new SignedResponseDocuments();

  constructor(context: SignedRequestContext) {
    this.#context = context;
  }

  /** Asks for a request to the gateway, or to the inference service. */
  async run(base: SavedRequest["base"]): Promise<void> {
    const profile = await chooseTarget(this.#context.profiles, base);
    if (profile === undefined) return;
    const history = parseHistory(this.#context.globalState.get(historyKey));
    const own = history.filter(
      ({ profileName, draft }) => profileName === profile.name && (draft.base ?? "gateway") === base,
    );
    const draft = await askRequest(profile, base, own);
    if (draft === undefined || !(await confirmRequest(profile, draft))) return;
    await this.#sendAndShow(profile, draft);
  }

  /** Sends one of the user's saved requests, filled in from the record of a server, to the server's own profile. */
  async runSaved(row: ServerRow): Promise<void> {
    const profile = this.#context.profiles.find(row.profileName);
    const chosen = await chooseSavedRequest(row);
    if (profile === undefined || chosen === undefined) return;
    if (chosen.saved.base === "inference" && profile.inferenceBaseUrl === undefined) {
      showConfirmation(vscode.l10n.t("The profile “{0}” has no inference base URL.", profile.name));
      return;
    }
    if (!(await confirmRequest(profile, chosen.draft, chosen.saved))) return;
    await this.#sendAndShow(profile, chosen.draft);
  }

  async #sendAndShow(profile: Profile, draft: SignedRequestDraft): Promise<void> {
    try {
      const answer = await this.#send(profile, draft);
      if (answer === undefined) return;
      await this.#remember({ profileName: profile.name, draft, statusCode: answer.statusCode });
      const { text, languageId } = responseDocument(answer);
      const { hideAllSecrets } = await import("../../../core/account/secrets/scanSecrets.ts");
      const redacted = await hideAllSecrets(
        this.#context.redaction.redact(text),
        redactionMark,
        createPause(),
      );
      await this.#documents.show(`${draft.method} ${draft.path}`, redacted, languageId);
    } catch (error) {
      logFailure(this.#context.log, error);
      await this.#remember({ profileName: profile.name, draft });
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

  dispose(): void {
    this.#documents.dispose();
  }

  /** Undefined if the user cancels. Whether the gateway has already processed the request is unknown. */
  async #send(profile: Profile, draft: SignedRequestDraft): Promise<SignedResponse | undefined> {
    const title = vscode.l10n.t("“{0}”: {1} {2}", profile.name, draft.method, draft.path);
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return withProgress(options, async (_, token) => {
      const controller = new AbortController();
      const subscription = token.onCancellationRequested(() => controller.abort());
      try {
        return await this.#context.clients.sendSigned(profile, draft, controller.signal);
      } catch (error) {
        if (controller.signal.aborted) return undefined;
        throw error;
      } finally {
        subscription.dispose();
      }
    });
  }

  async #remember(entry: HistoryEntry): Promise<void> {
    const { globalState } = this.#context;
    const history = parseHistory(globalState.get(historyKey));
    await globalState.update(historyKey, addToHistory(history, entry));
  }
}

/** The profile whose service receives the request: the only one with such an address, or one that the user picks. */
async function chooseTarget(profiles: Profiles, base: SavedRequest["base"]): Promise<Profile | undefined> {
  const isInference = base === "inference";
  const addressOf = ({ inferenceBaseUrl, gatewayUrl }: Profile): string | undefined =>
    isInference ? inferenceBaseUrl : gatewayUrl;
  const suitable = profiles.all.filter((profile) => addressOf(profile) !== undefined);
  if (suitable.length === 0) {
    showConfirmation(
      isInference
        ? vscode.l10n.t("No profile has an inference base URL to send the request to.")
        : vscode.l10n.t("No profile has a gateway URL to send the request to."),
    );
    return undefined;
  }
  if (suitable.length === 1) return suitable[0];
  const items = suitable.map((profile) => ({
    label: escapeCodicons(profile.name),
    description: [
      originOf(addressOf(profile)) ?? "",
      ...(profile.name === profiles.active?.name ? [vscode.l10n.t("in use")] : []),
    ].join(" · "),
    profile,
  }));
  const title = isInference ? vscode.l10n.t("Send API Request") : vscode.l10n.t("Send Signed Request");
  const placeHolder = isInference ? vscode.l10n.t("Select a profile") : vscode.l10n.t("Select a gateway");
  return (await showQuickPick(items, { title, placeHolder }))?.profile;
}
