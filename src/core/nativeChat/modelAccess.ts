import { isRecord } from "../kernel/json.ts";

/** What the user has decided about an extension that uses the models; `until` is in milliseconds since 1970. */
export type AccessDecision =
  { readonly access: "allowed"; readonly until?: number } | { readonly access: "denied" };

/** Port: the decisions by extension ID, kept for all windows. */
export interface AccessStore {
  load(): unknown;
  save(decisions: Readonly<Record<string, AccessDecision>>): Promise<void>;
}

/** Asks about this extension; undefined if the user dismisses the question. */
export type AskAccess = (extension: string) => Promise<AccessDecision | undefined>;

/**
 * Other extensions may use the models only if the user agrees, because requests cost money. An extension with many
 * requests at once is asked about once.
 */
export class ModelAccess {
  readonly #store: AccessStore;
  readonly #ask: AskAccess;
  readonly #now: () => number;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(store: AccessStore, ask: AskAccess, now: () => number) {
    this.#store = store;
    this.#ask = ask;
    this.#now = now;
  }

  get decisions(): Readonly<Record<string, AccessDecision>> {
    return parseDecisions(this.#store.load());
  }

  /** Whether the extension may use the models. Asks if that isn't decided. */
  async isAllowed(extension: string): Promise<boolean> {
    const decision = this.decisions[extension];
    if (decision?.access === "denied") return false;
    if (decision !== undefined && (decision.until ?? Infinity) > this.#now()) return true;
    let pending = this.#pending.get(extension);
    if (pending === undefined) {
      pending = this.#decide(extension).finally(() => this.#pending.delete(extension));
      this.#pending.set(extension, pending);
    }
    return pending;
  }

  /** Asks again at the next request. */
  async forget(extension: string): Promise<void> {
    const others = Object.entries(this.decisions).filter(([name]) => name !== extension);
    await this.#store.save(Object.fromEntries(others));
  }

  async #decide(extension: string): Promise<boolean> {
    const decision = await this.#ask(extension);
    if (decision === undefined) return false;
    // The permission takes effect only once it is stored.
    await this.#store.save({ ...this.decisions, [extension]: decision });
    return decision.access === "allowed";
  }
}

function parseDecisions(value: unknown): Readonly<Record<string, AccessDecision>> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([extension, entry]) => {
    const decision = parseDecision(entry);
    return decision === undefined ? [] : [[extension, decision] as const];
  });
  return Object.fromEntries(entries);
}

function parseDecision(value: unknown): AccessDecision | undefined {
  if (!isRecord(value)) return undefined;
  const { access, until } = value;
  if (access === "denied") return { access };
  if (access !== "allowed") return undefined;
  return typeof until === "number" ? { access, until } : { access };
}
