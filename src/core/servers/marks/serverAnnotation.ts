import { isRecord } from "../../kernel/json.ts";

/** The user's annotation of one server; stored only on this machine. */
export interface ServerAnnotation {
  /** Shown first in its list. */
  readonly isPinned?: boolean;
  /** Every change of its state triggers a notification. */
  readonly isWatched?: boolean;
  /** No change of its state triggers a notification. */
  readonly isMuted?: boolean;
}

/** The annotations of one gateway's servers, by server key. */
export type ServerAnnotations = ReadonlyMap<string, ServerAnnotation>;

const noMarks: ServerAnnotations = new Map();

/** Parses stored annotations; invalid ones are ignored. */
export function parseMarks(stored: unknown): ServerAnnotations {
  if (!isRecord(stored)) return noMarks;
  return new Map(
    Object.entries(stored).flatMap(([key, value]) => {
      const mark = isRecord(value) ? parseMark(value) : undefined;
      return mark === undefined ? [] : [[key, mark] as const];
    }),
  );
}

/** The annotation with these changes; undefined if it becomes empty. */
export function changeMark(
  mark: ServerAnnotation | undefined,
  change: ServerAnnotation,
): ServerAnnotation | undefined {
  return parseMark({ ...mark, ...change });
}

function parseMark(value: Readonly<Record<string, unknown>>): ServerAnnotation | undefined {
  const mark: ServerAnnotation = {
    ...(value["isPinned"] === true ? { isPinned: true } : {}),
    ...(value["isWatched"] === true ? { isWatched: true } : {}),
    ...(value["isMuted"] === true ? { isMuted: true } : {}),
  };
  return Object.keys(mark).length === 0 ? undefined : mark;
}
