import type { Server } from "./server.ts";

/** Since when each server has been starting or stopping. */
export class ChangingServers {
  readonly #since = new Map<string, number>();
  #seen: readonly Server[] = [];

  /** @param now Milliseconds since 1970. */
  note(servers: readonly Server[], now: number): void {
    if (servers === this.#seen) return;
    this.#seen = servers;
    const changing = new Set(servers.filter(isChanging).map(({ key }) => key));
    for (const key of this.#since.keys()) if (!changing.has(key)) this.#since.delete(key);
    for (const key of changing) if (!this.#since.has(key)) this.#since.set(key, now);
  }

  /** For how long the one that began last has been changing, in milliseconds; undefined while none is. */
  youngestMs(now: number): number | undefined {
    if (this.#since.size === 0) return undefined;
    const latest = [...this.#since.values()].reduce((first, second) => Math.max(first, second));
    return Math.max(0, now - latest);
  }
}

function isChanging({ status }: Server): boolean {
  return status === "starting" || status === "stopping";
}
