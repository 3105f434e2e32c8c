import * as vscode from "vscode";
import {
  describeFindings,
  testCapabilities,
  testRequestCount,
} from "../../../core/compose/attachments/capabilityTest.ts";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../../core/conversation/completion.ts";
import { ServiceError } from "../../../core/kernel/errors.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { testedModels, testedModelsKey } from "../../conversation/chatModels.ts";
import type { ChatModels } from "../../conversation/chatModels.ts";
import { confirmRisk, showInformationMessage, showWarningMessage, withProgress } from "../../shell/window.ts";

/** What a test of a model needs. Its results are kept in the global state, by profile. */
export interface CapabilityTestContext {
  readonly globalState: vscode.Memento;
  readonly models: Pick<ChatModels, "picker" | "profileName" | "refresh">;
  /** The port for requests about this conversation. */
  completions(conversationId: string): CompletionPort;
}

/**
 * Tests what the conversation's model supports, after the user has agreed to the requests, and remembers the result.
 */
export async function testModel(session: ChatSession, context: CapabilityTestContext): Promise<void> {
  const { globalState, models, completions } = context;
  const model = models.picker(session).selected;
  if (model === undefined || !(await confirmTest(model, globalState, models.profileName))) return;
  try {
    const findings = await withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Testing {0}…", model),
        cancellable: true,
      },
      (_, token) => {
        const options = { model, completions: completions(session.id), now: () => Date.now(), encodeBase64 };
        const test = testCapabilities(options);
        token.onCancellationRequested(() => test.stop());
        return test.findings;
      },
    );
    if (findings === undefined) return;
    const all: unknown = globalState.get(testedModelsKey);
    const others = testedModels(all, models.profileName);
    const tested = { ...others, [model]: findings };
    await globalState.update(testedModelsKey, {
      ...(isRecord(all) ? all : {}),
      [models.profileName]: tested,
    });
    models.refresh();
    void showInformationMessage(
      vscode.l10n.t("Tested the capabilities of {0} ({1}).", model, describeFindings(findings)),
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    void showWarningMessage(vscode.l10n.t("{0} wasn't tested. {1}", model, error.message));
  }
}

function confirmTest(model: string, globalState: vscode.Memento, profileName: string): Promise<boolean> {
  const last = testedModels(globalState.get(testedModelsKey), profileName)[model];
  const cost = vscode.l10n.t(
    "This sends {0} small requests: an image, an audio file, a tool, and a JSON schema. Each one uses up to a few hundred tokens, for which your service may charge.",
    String(testRequestCount),
  );
  const date = last === undefined ? "" : new Date(last.testedAt).toLocaleDateString(vscode.env.language);
  const before =
    last === undefined ? "" : `\n\n${vscode.l10n.t("Last test, on {0}: {1}", date, describeFindings(last))}`;
  return confirmRisk({
    question: vscode.l10n.t("Test the capabilities of {0}?", model),
    detail: `${cost}${before}`,
    accept: vscode.l10n.t("Test"),
    decline: vscode.l10n.t("Don't Test"),
    isExpected: true,
  });
}

function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
