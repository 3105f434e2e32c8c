import { ServiceError } from "../../../core/kernel/errors.ts";
import type { Profile } from "../../../core/account/profile.ts";
import type { ClientFactory } from "../../shell/clientFactory.ts";
import type { CheckCredential } from "./checkCredential.ts";
import { isGatewayCredential } from "../../../core/account/credentialKinds.ts";

/**
 * Asks the service that the credential is for: the list of models, or the list of servers. Where the gateway refuses the
 * signature of an access key, the other ways of signing are tried before the key is doubted.
 */
export function createLiveCheck(clients: ClientFactory): CheckCredential {
  return async (profile, credential, signal) => {
    if (!isGatewayCredential(credential)) {
      const client = await clients.inference(profile, credential);
      await client.listModels(signal);
      return { notes: [] };
    }
    const notes: string[] = [];
    const list = async (as: Profile): Promise<void> => {
      const client = await clients.gateway(as, credential, (sentence) => notes.push(sentence));
      await client.listServers({ signal, retry: false }).catch((error: unknown) => {
        // The credential was accepted; that the list can't be read is another matter.
        if (!(error instanceof ServiceError) || error.reason !== "malformed") throw error;
      });
    };
    const { findSignature } = await import("../../../gateway/auth/signatureVariants.ts");
    const signature = await findSignature({ ...profile, gatewayCredential: credential.kind }, list);
    return signature === undefined ? { notes } : { notes, signature };
  };
}
