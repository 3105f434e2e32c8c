import { isRecord, parseJsonObject, stringsIn } from "../../core/kernel/json.ts";
import type { JsonObject, JsonValue } from "../../core/kernel/json.ts";
import type { MessageOrder } from "./requestBody.ts";

/** Stores habits beyond this window. */
export interface HabitMemory {
  /** What was last saved, here or in another window. */
  load(): unknown;
  save(habits: JsonObject): void;
}

const dayMs = 24 * 60 * 60 * 1_000;
/** Servers are updated, so what they rejected is tried again after this many milliseconds. */
const formLifeMs = 7 * dayMs;
/** Omitting fields affects the user, for example without tools, so they are tried again sooner. */
const memberLifeMs = dayMs;
/** Number of models whose habits are kept; those learned first are discarded first. */
const mostHabits = 200;

interface Habit {
  /** When it was learned, in milliseconds since 1970. */
  readonly at: number;
  readonly value: JsonValue;
}

/**
 * What servers have rejected, so that the first attempt already uses a form that they accept. Kept for each profile,
 * base URL and model, and discarded after a time.
 */
export class ServerHabits {
  readonly #memory: HabitMemory;
  readonly #now: () => number;
  readonly #profile: string;

  /** @param now Milliseconds since 1970. */
  constructor(memory: HabitMemory = createMemory(), now: () => number = Date.now, profile = "") {
    this.#memory = memory;
    this.#now = now;
    this.#profile = profile;
  }

  /** The habits of one profile's servers. */
  ofProfile(name: string): ServerHabits {
    return new ServerHabits(this.#memory, this.#now, name);
  }

  /**
   * The order of messages that the model requires.
   * @param baseUrl Includes `/v1`.
   */
  orderOf(baseUrl: string, model: string): MessageOrder | undefined {
    const order = this.#read("order", baseUrl, model, formLifeMs);
    return order === "alternate" || order === "noSystem" ? order : undefined;
  }

  /** Remembers the order, for the time that `orderOf` returns it. */
  demandOrder(baseUrl: string, model: string, order: MessageOrder): void {
    if (this.orderOf(baseUrl, model) !== order) this.#write("order", baseUrl, model, order);
  }

  /** Whether the server accepts `stream_options`. */
  acceptsUsage(baseUrl: string): boolean {
    return this.#read("usage", baseUrl, "", formLifeMs) !== false;
  }

  /** Remembers that the server rejects `stream_options`. */
  rejectUsage(baseUrl: string): void {
    if (this.acceptsUsage(baseUrl)) this.#write("usage", baseUrl, "", false);
  }

  /** Fields of the body that the model rejects. */
  rejectedMembers(baseUrl: string, model: string): readonly string[] {
    const names = this.#read("without", baseUrl, model, memberLifeMs);
    return stringsIn(names);
  }

  /** Remembers these fields in addition to those known. */
  rejectMembers(baseUrl: string, model: string, names: readonly string[]): void {
    const known = this.rejectedMembers(baseUrl, model);
    const all = new Set([...known, ...names]);
    if (all.size > known.length) this.#write("without", baseUrl, model, [...all]);
  }

  #read(kind: string, baseUrl: string, model: string, lifeMs: number): JsonValue | undefined {
    const saved = this.#memory.load();
    const habit = isRecord(saved) ? parseHabit(saved[this.#keyOf(kind, baseUrl, model)]) : undefined;
    if (habit === undefined) return undefined;
    // A habit from far in the future was learned with a wrong clock.
    return Math.abs(this.#now() - habit.at) < lifeMs ? habit.value : undefined;
  }

  #write(kind: string, baseUrl: string, model: string, value: JsonValue): void {
    const saved = this.#memory.load();
    const key = this.#keyOf(kind, baseUrl, model);
    const others = Object.entries(isRecord(saved) ? saved : {}).flatMap(([name, other]) => {
      const habit = name === key ? undefined : parseHabit(other);
      return habit === undefined ? [] : [[name, { at: habit.at, value: habit.value }] as const];
    });
    const kept = others.toSorted(([, left], [, right]) => right.at - left.at).slice(0, mostHabits - 1);
    this.#memory.save(Object.fromEntries([[key, { at: this.#now(), value }], ...kept]));
  }

  #keyOf(kind: string, baseUrl: string, model: string): string {
    return JSON.stringify([kind, this.#profile, baseUrl, model]);
  }
}

function parseHabit(value: unknown): Habit | undefined {
  const habit = isRecord(value) ? parseJsonObject(value) : undefined;
  const at = habit?.["at"];
  const content = habit?.["value"];
  return typeof at === "number" && content !== undefined ? { at, value: content } : undefined;
}

/** Keeps habits for the lifetime of the process. */
function createMemory(): HabitMemory {
  let habits: JsonObject = {};
  return { load: () => habits, save: (next) => (habits = next) };
}
