import { readHttpAddress } from "../kernel/httpAddress.ts";
import { isLoopbackHost } from "../kernel/loopback.ts";
import type { Profile } from "./profile.ts";

/** Whether nothing can be sent without an API key: a server on this machine, or one of which the user says so, wants none. */
export function needsApiKey({ inferenceBaseUrl, apiKeyOptional }: Profile): boolean {
  if (apiKeyOptional === true) return false;
  const reading = readHttpAddress(inferenceBaseUrl ?? "");
  return !("address" in reading && isLoopbackHost(reading.address.host));
}
