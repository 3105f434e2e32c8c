import type { Server } from "../server.ts";
import { factText } from "../serverLabels.ts";

/** Every address of a server, the one under which it is reached first; as they may be shown. */
export function serverAddresses({ address, otherAddresses }: Server): readonly string[] {
  if (address === undefined) return [];
  const first = factText(address);
  return [first, ...(otherAddresses ?? []).filter((other) => other !== first)];
}
