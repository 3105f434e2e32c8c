import { ServiceError } from "../../../core/kernel/errors.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { Clients } from "../../shell/clientFactory.ts";
import type { CheckCredential } from "./checkCredential.ts";
import { isGatewayCredential } from "../../../core/account/credentialKinds.ts";
import { filledFields } from "../../../core/kernel/filledFields.ts";

/**
 * Requests the list of models or servers from the service that the credential is for. If the gateway rejects the
 * signature of an access key, the other signature formats are tried before the key is reported as wrong.
 */
export function createLiveCheck(clients: Clients): CheckCredential {
  return async (profile, credential, signal) => {
    if (!isGatewayCredential(credential)) {
      const client = await clients.inference(profile, credential);
      return { notes: [], listed: (await client.listModels(signal)).length };
    }
    const notes: string[] = [];
    let listed: number | undefined;
    const list = async (as: Profile): Promise<void> => {
      const onClockCorrected = (sentence: string): void => void notes.push(sentence);
      const options = { signal, checked: credential, onClockCorrected };
      const received = await clients.listServers(as, options).catch((error: unknown) => {
        // The credential was accepted. That the list can't be parsed is a different problem.
        if (!(error instanceof ServiceError) || error.reason !== "malformed") throw error;
      });
      listed = received?.servers.length;
    };
    const { findSignature } = await import("../../../gateway/auth/signatureVariants.ts");
    const signature = await findSignature({ ...profile, gatewayCredential: credential.kind }, list);
    return filledFields({ notes, listed, signature });
  };
}
