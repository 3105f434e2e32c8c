import * as vscode from "vscode";
import { guardCompletion } from "../../../core/compose/send/guardedPorts.ts";
import type { SendGate } from "../../../core/compose/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../../core/compose/send/sendQuestion.ts";
import type { CompletionPort } from "../../../core/conversation/completion.ts";
import { ServiceError } from "../../../core/kernel/errors.ts";
import { showWarningMessage } from "../../shell/window.ts";

/**
 * Wraps the port for requests that no chat shows: everything that is sent passes the guard for secrets, which asks in a
 * dialog. A request that the user rejects fails with a sentence.
 */
export function guardWithDialog(port: CompletionPort, gate: SendGate): CompletionPort {
  return guardCompletion(port, async (request, isStopped) => {
    const passed = await gate.passRequest(request, askInDialog, isStopped);
    if (passed !== undefined || isStopped()) return passed;
    throw new ServiceError({
      reason: "configuration",
      message: vscode.l10n.t("Nothing was sent, because the request contains what looks like a secret."),
    });
  });
}

/** There is no page to hold the request in, so the question is a dialog. */
export async function askInDialog({ message, facts, choices }: SendQuestion): Promise<SendChoice> {
  const detail = facts.map(({ label, value }) => `${label}: ${value}`).join("\n");
  const offered = choices.filter(({ id }) => id !== "cancel");
  const labels = offered.map(({ label }) => label);
  const picked = await showWarningMessage(message, { modal: true, detail }, ...labels);
  return offered.find(({ label }) => label === picked)?.id ?? "cancel";
}
