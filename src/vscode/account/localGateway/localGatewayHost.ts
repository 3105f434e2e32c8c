import type * as vscode from "vscode";
import { isRecord, numberField, stringField } from "../../../core/kernel/json.ts";
import type {
  FindUpstreams,
  LocalGatewayHost,
  LocalGatewayMemory,
  StartLocalGateway,
} from "../../../core/account/localGateway/localGateway.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import type { Profiles } from "../profiles/profiles.ts";

const memoryKey = "inferenceGateway.localGateway";

/** The settings, secrets and state of this VS Code, as a port for the local gateway. */
export function createLocalGatewayHost(
  start: StartLocalGateway,
  profiles: Profiles,
  vault: SecretVault,
  globalState: vscode.Memento,
): LocalGatewayHost {
  return {
    start,
    readProfiles: () => profiles.readRaw(),
    writeProfiles: (value) => profiles.writeRaw(value),
    readActiveName: () => profiles.activeName,
    writeActiveName: (name) => profiles.select(name),
    storeCredential: (profile, credential) => vault.store(profile, credential),
    readMemory: () => parseMemory(globalState.get(memoryKey)),
    async writeMemory(memory) {
      await globalState.update(memoryKey, memory);
    },
  };
}

function parseMemory(value: unknown): LocalGatewayMemory {
  if (!isRecord(value)) return { port: 0 };
  const port = numberField(value, "port") ?? 0;
  const previousProfile = stringField(value, "previousProfile");
  const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535;
  return { port: isPort ? port : 0, ...(previousProfile === undefined ? {} : { previousProfile }) };
}

/** Loads the local gateway's server at the first start. */
export const startLocalGatewayOnDemand: StartLocalGateway = async (options) => {
  const { startLocalGateway } = await import("../../../localGateway/service/startLocalGateway.ts");
  return startLocalGateway(options);
};

/** Looks for model servers on this machine. */
export const findLocalUpstreams: FindUpstreams = async () => {
  const { findUpstreams } = await import("../../../localGateway/inference/findUpstreams.ts");
  return findUpstreams();
};
