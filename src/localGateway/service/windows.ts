import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";

/** Where other windows of the same VS Code ask whether this is their gateway, and wait for its end. */
export const joinPath = "/windows";

/** The last text that they receive if the user has stopped the gateway. One that ends without it is replaced. */
export const farewell = "stopped";

/** Proves knowledge of the key without revealing it. With the port, another program can't pass on the proof of a gateway. */
export function proofOf(apiKey: string, port: number, challenge: string): string {
  return createHmac("sha256", apiKey).update(`${port}:${challenge}`).digest("hex");
}

/** The windows that use this gateway without running it. */
export class Windows {
  readonly #open = new Set<ServerResponse>();

  /** Keeps the response open, so that its window notices at once when the gateway is gone. */
  add(response: ServerResponse, proof: string): void {
    response.once("close", () => this.#open.delete(response));
    response.writeHead(200, { "content-type": "text/plain" }).write(proof);
    this.#open.add(response);
  }

  /** Resolves when each of them has been sent that the user has stopped the gateway. */
  async dismiss(): Promise<void> {
    const ends = [...this.#open].map(
      (response) => new Promise<void>((resolve) => response.once("close", resolve).end(farewell, resolve)),
    );
    await Promise.all(ends);
  }
}
