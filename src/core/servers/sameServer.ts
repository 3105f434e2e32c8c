import type { Server, ServerFact } from "./server.ts";

/** Whether two readings of one server look the same in a row; their records may differ. */
export function isSameServer(first: Server, second: Server): boolean {
  return (
    first.key === second.key &&
    first.status === second.status &&
    first.isPrivateAddress === second.isPrivateAddress &&
    isSameFact(first.name, second.name) &&
    isSameFact(first.id, second.id) &&
    isSameFact(first.statusText, second.statusText) &&
    isSameFact(first.gpu, second.gpu) &&
    isSameFact(first.region, second.region) &&
    isSameFact(first.address, second.address)
  );
}

function isSameFact(first: ServerFact | undefined, second: ServerFact | undefined): boolean {
  return first?.value === second?.value;
}
