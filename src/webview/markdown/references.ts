/** A link reference definition (`[label]: href "title"`). */
interface Reference {
  readonly href: string;
  readonly title: string;
}

/** Called for each label that is looked up, so that a later definition can be matched to a finished block. */
type LookUp = (label: string) => void;

/**
 * The definitions in a growing message. Those in finished blocks are `settled`. Those in the open tail are found again
 * at each parse. The first definition of a label wins.
 */
export class References {
  readonly #settled = new Map<string, Reference>();
  #open = new Map<string, Reference>();
  #onLookUp: LookUp | undefined;

  /** The `env.references` that the parser uses. */
  readonly table: Record<string, Reference> = new Proxy<Record<string, Reference>>(Object.create(null), {
    get: (_table, label) => (typeof label === "string" ? this.#find(label) : undefined),
    set: (_table, label, reference: Reference) => {
      if (typeof label === "string") this.#open.set(label, reference);
      return true;
    },
  });

  /** Forgets the open definitions before the tail is parsed again. Returns them. */
  reopen(): ReadonlyMap<string, Reference> {
    const old = this.#open;
    this.#open = new Map();
    return old;
  }

  /** Runs `parse` and reports every lookup to `onLookUp`. */
  observe(onLookUp: LookUp, parse: () => void): void {
    this.#onLookUp = onLookUp;
    try {
      parse();
    } finally {
      this.#onLookUp = undefined;
    }
  }

  /** The labels whose meaning has changed compared to `old` as the open definitions. */
  changedSince(old: ReadonlyMap<string, Reference>): readonly string[] {
    if (old.size === 0 && this.#open.size === 0) return [];
    const labels = new Set([...old.keys(), ...this.#open.keys()]);
    return [...labels].filter((label) => !isSame(old.get(label), this.#lookIn(label)));
  }

  /** Called when the block that contains this definition is finished. */
  settle(label: string): void {
    const reference = this.#open.get(label);
    if (reference === undefined || this.#settled.has(label)) return;
    this.#settled.set(label, reference);
  }

  #find(label: string): Reference | undefined {
    this.#onLookUp?.(label);
    return this.#lookIn(label);
  }

  #lookIn(label: string): Reference | undefined {
    return this.#settled.get(label) ?? this.#open.get(label);
  }
}

function isSame(a: Reference | undefined, b: Reference | undefined): boolean {
  return a?.href === b?.href && a?.title === b?.title;
}
