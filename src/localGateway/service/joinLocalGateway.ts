import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { LocalGateway } from "../../core/account/localGateway/localGateway.ts";
import { joinPath, proofOf } from "./windows.ts";

/** The other window may have bound its port and not yet stored the key that proves it. */
const attempts = 10;
const pauseMs = 200;
const patienceMs = 2_000;

/** The local gateway of another window, if it is what listens on the port: it proves that it knows the stored key. */
export async function joinLocalGateway(
  port: number,
  readKey: () => Promise<string | undefined>,
): Promise<LocalGateway | undefined> {
  const origin = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const challenge = randomUUID();
    const proof = await readProof(`${origin}${joinPath}?challenge=${challenge}`);
    if (proof === undefined) return undefined;
    const key = await readKey();
    if (key !== undefined && proof === proofOf(key, port, challenge))
      return { inferenceBaseUrl: `${origin}/v1`, gatewayUrl: origin, stop: () => Promise.resolve() };
    await delay(pauseMs);
  }
  return undefined;
}

async function readProof(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
