import * as vscode from "vscode";
import type { Redaction } from "../../core/account/redaction.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { formatDate } from "../../core/kernel/formatTime.ts";
import { ModelAccess } from "../../core/nativeChat/nativeModel.ts";
import type { AccessDecision, AccessStore } from "../../core/nativeChat/nativeModel.ts";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import { SecretFinder, createSendGate } from "../compose/send/createSendGate.ts";
import { showConfirmation, showQuickPick, showWarningMessage } from "../shell/window.ts";
import { NativeChatProvider } from "./nativeChatProvider.ts";
import type { ProfileModelsContext } from "./profileModels.ts";

/** What VS Code's own chat needs to use the models of the profiles. */
export interface NativeChatServices extends ProfileModelsContext {
  readonly redaction: Redaction;
  readonly extensionId: string;
  ledger(): Promise<Ledger>;
}

const key = "inferenceGateway.modelAccess";

/**
 * The provider that offers the models to VS Code's chat and to other extensions, behind the gate and the user's
 * consent.
 */
export function createNativeChat(services: NativeChatServices): NativeChatProvider {
  const access = new ModelAccess(accessStore(services.globalState), askAccess, () => Date.now());
  return new NativeChatProvider({
    ...services,
    access,
    gate: createSendGate(new SecretFinder(services), services.ledger),
  });
}

/** Lists the extensions that the user has decided about. Selecting one withdraws the decision. */
export async function manageModelAccess(globalState: vscode.Memento): Promise<void> {
  const access = new ModelAccess(accessStore(globalState), askAccess, () => Date.now());
  const items = Object.entries(access.decisions).map(([extension, decision]) => ({
    label: escapeCodicons(nameOf(extension)),
    description: extension,
    detail: describe(decision),
    extension,
  }));
  if (items.length === 0)
    return showConfirmation(vscode.l10n.t("No other extension has asked to use your models yet."));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Manage Model Access"),
    placeHolder: vscode.l10n.t("Select an extension to be asked about again"),
  });
  if (picked === undefined) return;
  await access.forget(picked.extension);
  showConfirmation(
    vscode.l10n.t("You will be asked when “{0}” uses a model again.", nameOf(picked.extension)),
  );
}

function describe(decision: AccessDecision): string {
  if (decision.access === "denied") return vscode.l10n.t("Denied");
  return decision.until === undefined
    ? vscode.l10n.t("Allowed")
    : vscode.l10n.t("Allowed until {0}", formatDate(decision.until));
}

function accessStore(globalState: vscode.Memento): AccessStore {
  return {
    load: () => globalState.get(key),
    save: async (decisions) => globalState.update(key, decisions),
  };
}

async function askAccess(extension: string): Promise<AccessDecision | undefined> {
  const [deny, today, allow] = [vscode.l10n.t("Deny"), vscode.l10n.t("Allow Today"), vscode.l10n.t("Allow")];
  const picked = await showWarningMessage(
    vscode.l10n.t("Allow the extension “{0}” to use your models?", nameOf(extension)),
    {
      modal: true,
      detail: vscode.l10n.t(
        "It can send requests ({0}) to the inference services of your profiles without asking. They count toward your usage and budget.",
        extension,
      ),
    },
    // Enter presses the first button, and the dialog may appear while the user is typing.
    deny,
    today,
    allow,
  );
  if (picked === allow) return { access: "allowed" };
  if (picked === today) return { access: "allowed", until: new Date().setHours(24, 0, 0, 0) };
  return picked === deny ? { access: "denied" } : undefined;
}

/** The display name of the extension, or its ID. */
function nameOf(extension: string): string {
  const manifest: unknown = vscode.extensions.getExtension(extension)?.packageJSON;
  const isNamed = typeof manifest === "object" && manifest !== null && "displayName" in manifest;
  return isNamed && typeof manifest.displayName === "string" ? manifest.displayName : extension;
}
