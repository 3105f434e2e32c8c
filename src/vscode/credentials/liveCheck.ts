import { ServiceError } from "../../core/errors.ts";
import type { Clients } from "../clients.ts";
import type { CheckCredential } from "./checkCredential.ts";

/** Asks the service that the credential is for: the list of models, or the list of servers. */
export function createLiveCheck(clients: Clients): CheckCredential {
  return async (profile, credential, signal) => {
    if (credential.kind === "apiKey") {
      const client = await clients.inference(profile, credential);
      await client.listModels(signal);
      return [];
    }
    const notes: string[] = [];
    const checked = { ...profile, gatewayCredential: credential.kind };
    const client = await clients.gateway(checked, credential, (sentence) => notes.push(sentence));
    await client.listServers({ signal, retry: false }).catch((error: unknown) => {
      // The credential was accepted; that the list can't be read is another matter.
      if (!(error instanceof ServiceError) || error.reason !== "malformed") throw error;
    });
    return notes;
  };
}
