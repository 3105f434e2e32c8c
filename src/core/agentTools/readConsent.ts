import { sanitizeLabel } from "../kernel/foreignText.ts";

/** What the user decided about a program that wants to read: this time, from now on, or not at all. */
export type ConsentAnswer = "deny" | "once" | "always";

interface ReadConsentPorts<Signal> {
  /** What was stored last, in any form. */
  stored(): unknown;
  store(clients: readonly string[] | undefined): PromiseLike<void>;
  /**
   * Asks the user, until the signal is aborted.
   *
   * @param client One short line, or an empty text if the program doesn't give its name; "always" isn't offered then.
   */
  ask(client: string, text: string, signal: Signal): Promise<ConsentAnswer>;
  /** Monotonic milliseconds. */
  now(): number;
}

/** Where the programs are stored that may search the conversations in a workspace. */
export const consentKey = "inferenceGateway.agentsMayRead";

/** Maximum number of programs that are remembered; the oldest is forgotten. */
const mostClients = 50;
/**
 * After the user has denied a program's call, its further ones are denied without asking for this many milliseconds.
 */
const denialMs = 60_000;

/**
 * Whether other programs may search the conversations. The user decides each time, or once for a program in the
 * workspace.
 */
export class ReadConsent<Signal extends { readonly aborted: boolean }> {
  readonly #ports: ReadConsentPorts<Signal>;
  /** One question at a time: the user's answer may also decide about the calls that wait. */
  #asking: Promise<unknown> = Promise.resolve();
  readonly #deniedAt = new Map<string, number>();

  constructor(ports: ReadConsentPorts<Signal>) {
    this.#ports = ports;
  }

  /**
   * @param name The name that the program gives itself, or an empty text.
   * @param text What it searches for.
   */
  async allows(name: string, text: string, signal: Signal): Promise<boolean> {
    const answer = this.#asking.then(() => this.#decide(clientLabel(name), text, signal));
    this.#asking = answer.catch(() => undefined);
    return answer;
  }

  async #decide(client: string, text: string, signal: Signal): Promise<boolean> {
    const { stored, store, ask, now } = this.#ports;
    // The result is no longer needed.
    if (signal.aborted) return false;
    if (allowedClients(stored()).includes(client)) return true;
    if (now() - (this.#deniedAt.get(client) ?? -Infinity) < denialMs) return false;
    const answer = await ask(client, text, signal);
    if (signal.aborted) return false;
    if (answer === "always" && client !== "")
      await store([...allowedClients(stored()), client].slice(-mostClients));
    if (answer === "deny") {
      if (this.#deniedAt.size >= mostClients) this.#deniedAt.clear();
      this.#deniedAt.set(client, now());
    }
    return answer !== "deny";
  }
}

/** The name as it is shown and remembered: one short line that can't end its quotation. */
function clientLabel(name: string): string {
  return sanitizeLabel(name.slice(0, 400).replace(/["＂“”„‟«»「」『』〝〞〟]/g, "'"), 60);
}

/** The programs that may search the conversations without asking. */
export function allowedClients(stored: unknown): readonly string[] {
  return Array.isArray(stored)
    ? stored.filter((name: unknown) => typeof name === "string" && name !== "")
    : [];
}
