import { t } from "@vscode/l10n";
import type { Notice } from "./protocol.ts";

/** What is known about the setup of the inference service before anything is sent. */
export interface SetupState {
  readonly profileName?: string;
  readonly inferenceBaseUrl?: string;
  /** Whether it is known where keys are created. */
  readonly hasConsole?: boolean;
  readonly hasApiKey: boolean;
  /** Some servers don't need one. */
  readonly needsApiKey: boolean;
  readonly isLocalGatewayProfile: boolean;
  readonly isLocalGatewayRunning: boolean;
  /** The problems with the settings, as sentences. */
  readonly problems: readonly string[];
}

/** Why nothing can be sent yet, and what fixes it. Undefined if everything is ready. */
export function setupNotice(setup: SetupState): Notice | undefined {
  if (setup.profileName === undefined) return withoutProfile(setup.problems);
  const name = setup.profileName;
  if (setup.isLocalGatewayProfile && !setup.isLocalGatewayRunning) {
    return { message: t("The local gateway isn't running."), actions: ["startLocalGateway"] };
  }
  if (setup.inferenceBaseUrl === undefined) {
    return {
      message: t("The profile “{0}” has no inference base URL, so there is nothing to chat with.", name),
      actions: ["openProfiles"],
    };
  }
  if (!setup.hasApiKey && setup.needsApiKey) {
    return {
      message: t("The profile “{0}” has no API key yet.", name),
      actions: setup.hasConsole === true ? ["setApiKey", "createKey"] : ["setApiKey"],
    };
  }
  return undefined;
}

function withoutProfile(problems: readonly string[]): Notice {
  const first = problems[0];
  if (first !== undefined) {
    return { message: first, actions: ["openProfiles"] };
  }
  return {
    message: t("Connect to your GPU cloud, or try everything without an account on a local gateway."),
    actions: ["addProfile", "startLocalGateway"],
  };
}
