import * as vscode from "vscode";
import type { SendGate } from "../../core/compose/send/sendGate.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { CompletionPort, Model } from "../../core/conversation/completion.ts";
import { deferCompletion } from "../../core/conversation/deferCompletion.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { fitToModels } from "../compose/meter/meters.ts";
import { guardWithDialog } from "../compose/send/createSendGate.ts";
import type { Clients } from "../shell/clientFactory.ts";

/** What is needed to reach the inference service of any profile. */
export interface EnginePortsContext {
  readonly profiles: Profiles;
  readonly clients: Clients;
  readonly gate: SendGate;
  /** What is known about a model. */
  findModel(profile: Profile, model: string): Model | undefined;
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
        message: vscode.l10n.t("The profile “{0}” no longer exists. Select another model.", profileName),
      });
    });
    return fitToModels(guardWithDialog(port, gate), (model) => {
      const profile = profiles.find(profileName);
      return profile === undefined ? undefined : this.#context.findModel(profile, model);
    });
  }
}
