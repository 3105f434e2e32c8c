import { createHmac } from "node:crypto";

/** Where other windows of the same VS Code ask whether this is their gateway. */
export const joinPath = "/windows";

/** Proves knowledge of the key without revealing it. With the port, another program can't pass on the proof of a gateway. */
export function proofOf(apiKey: string, port: number, challenge: string): string {
  return createHmac("sha256", apiKey).update(`${port}:${challenge}`).digest("hex");
}
