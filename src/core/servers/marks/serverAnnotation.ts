import * as v from "valibot";

const markSchema = v.object({
  /** Shown first in its list. */
  isPinned: v.optional(v.boolean()),
  /** Every change of its state triggers a notification. */
  isWatched: v.optional(v.boolean()),
  /** No change of its state triggers a notification. */
  isMuted: v.optional(v.boolean()),
});

/** The user's annotation of one server; stored only on this machine. */
export type ServerAnnotation = Readonly<v.InferOutput<typeof markSchema>>;

/** The annotations of one gateway's servers, by server key. */
export type ServerAnnotations = ReadonlyMap<string, ServerAnnotation>;

const storedSchema = v.record(v.string(), markSchema);

/** Parses stored annotations. */
export function parseMarks(stored: unknown): ServerAnnotations {
  const parsed = v.safeParse(storedSchema, stored);
  return new Map(Object.entries(parsed.success ? parsed.output : {}));
}
