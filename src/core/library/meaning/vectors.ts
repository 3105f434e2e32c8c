/** The direction of an embedding in a byte for each dimension, which is enough to rank by and takes a quarter of the space. */
export interface Vector {
  readonly values: Int8Array;
  /** The length of `values` as a vector. */
  readonly norm: number;
}

/** The vector for an embedding; undefined if it has no direction. */
export function quantize(embedding: readonly number[]): Vector | undefined {
  const largest = embedding.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(largest > 0 && Number.isFinite(largest))) return undefined;
  const values = Int8Array.from(embedding, (value) => Math.round((value / largest) * 127));
  return { values, norm: normOf(values) };
}

/** The vector with these stored values. */
export function vectorOf(values: Int8Array): Vector {
  return { values, norm: normOf(values) };
}

function normOf(values: Int8Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum);
}

/** The cosine of the angle between both, from -1 to 1; 0 if they come from different models. */
export function similarity(left: Vector, right: Vector): number {
  const [first, second] = [left.values, right.values];
  if (first.length !== second.length || left.norm === 0 || right.norm === 0) return 0;
  let sum = 0;
  for (let index = 0; index < first.length; index++) sum += (first[index] ?? 0) * (second[index] ?? 0);
  return sum / (left.norm * right.norm);
}

/** A passage that was compared with what is searched for. */
export interface Match {
  readonly conversationId: string;
  readonly messageId: string;
  readonly snippet: string;
  readonly score: number;
}

/** Below this, passages have nothing to do with each other, whatever the model. */
const leastScore = 0.15;
/** The share of the best score that the others need: models differ in what their scores mean. */
const leastShare = 0.75;

/** The most similar passages, one for each conversation. */
export class BestMatches {
  readonly #count: number;
  readonly #byConversation = new Map<string, Match>();

  constructor(count: number) {
    this.#count = count;
  }

  add(match: Match): void {
    const before = this.#byConversation.get(match.conversationId);
    if (match.score >= leastScore && (before === undefined || before.score < match.score))
      this.#byConversation.set(match.conversationId, match);
  }

  /** The best come first. */
  get matches(): readonly Match[] {
    const sorted = [...this.#byConversation.values()].toSorted((left, right) => right.score - left.score);
    const least = (sorted[0]?.score ?? 0) * leastShare;
    return sorted.filter(({ score }) => score >= least).slice(0, this.#count);
  }
}
