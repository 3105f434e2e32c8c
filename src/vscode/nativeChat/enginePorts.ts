import * as vscode from "vscode";
import { guardCompletion } from "../../core/compose/send/guardedPorts.ts";
import type { SendGate } from "../../core/compose/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../core/compose/send/sendQuestion.ts";
import type { CompletionPort } from "../../core/conversation/completion.ts";
import { deferCompletion } from "../../core/conversation/deferredCompletion.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import type { Clients } from "../shell/clientFactory.ts";
import { showWarningMessage } from "../shell/window.ts";

export interface EnginePortsContext {
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly gate: SendGate;
}

/**
 * The inference services for requests that don't belong to one of our conversations. Everything that is sent passes the
 * guard for secrets; the budget is checked where requests are recorded.
 */
export class EnginePorts {
  readonly #context: EnginePortsContext;
  /** By profile name. Its requests pass the guard one after the other, so that the same question isn't repeated. */
  readonly #ports = new Map<string, CompletionPort>();

  constructor(context: EnginePortsContext) {
    this.#context = context;
  }

  find(profileName: string): CompletionPort {
    const port = this.#ports.get(profileName) ?? this.#create(profileName);
    this.#ports.set(profileName, port);
    return port;
  }

  #create(profileName: string): CompletionPort {
    const { profiles, clients, gate } = this.#context;
    const port = deferCompletion(async () => {
      const profile = profiles.find(profileName);
      if (profile !== undefined) return clients.inference(profile);
      throw new ServiceError({
        reason: "configuration",
        message: vscode.l10n.t(
          "The profile “{0}” doesn't exist any more. Select another model.",
          profileName,
        ),
      });
    });
    return guardCompletion(port, async (request, isStopped) => {
      const passed = await gate.passRequest(request, askInDialog, isStopped);
      if (passed !== undefined || isStopped()) return passed;
      throw new ServiceError({
        reason: "configuration",
        message: vscode.l10n.t("Nothing was sent, because the request contains what looks like a secret."),
      });
    });
  }
}

/** There is no page to hold the request in, so the question is a dialog. */
async function askInDialog({ message, facts, choices }: SendQuestion): Promise<SendChoice> {
  const detail = facts.map(({ label, value }) => `${label}: ${value}`).join("\n");
  const offered = choices.filter(({ id }) => id !== "cancel");
  const labels = offered.map(({ label }) => label);
  const picked = await showWarningMessage(message, { modal: true, detail }, ...labels);
  return offered.find(({ label }) => label === picked)?.id ?? "cancel";
}
