import { isRecord, stringField } from "../../kernel/json.ts";

/** What the user has noted of one server; it stays on this machine. */
export interface ServerAnnotation {
  /** Stands first in its list. */
  readonly isPinned?: boolean;
  /** Shown instead of the name. */
  readonly alias?: string;
  readonly note?: string;
  /** Every change of its state is announced. */
  readonly isWatched?: boolean;
  /** No change of its state is announced. */
  readonly isMuted?: boolean;
}

/** The marks of the servers of one gateway by the servers' keys. */
export type ServerAnnotations = ReadonlyMap<string, ServerAnnotation>;

export const noMarks: ServerAnnotations = new Map();

const maxText = 2_000;

/** Reads what was stored; whatever can't be understood is left out. */
export function parseMarks(stored: unknown): ServerAnnotations {
  if (!isRecord(stored)) return noMarks;
  return new Map(
    Object.entries(stored).flatMap(([key, value]) => {
      const mark = isRecord(value) ? parseMark(value) : undefined;
      return mark === undefined ? [] : [[key, mark] as const];
    }),
  );
}

/** The mark with these changes; undefined if it says nothing any more. */
export function changeMark(
  mark: ServerAnnotation | undefined,
  change: ServerAnnotation,
): ServerAnnotation | undefined {
  return parseMark({ ...mark, ...change });
}

function parseMark(value: Readonly<Record<string, unknown>>): ServerAnnotation | undefined {
  const alias = stringField(value, "alias")?.trim().slice(0, maxText);
  const note = stringField(value, "note")?.trim().slice(0, maxText);
  const mark: ServerAnnotation = {
    ...(value["isPinned"] === true ? { isPinned: true } : {}),
    ...(alias ? { alias } : {}),
    ...(note ? { note } : {}),
    ...(value["isWatched"] === true ? { isWatched: true } : {}),
    ...(value["isMuted"] === true ? { isMuted: true } : {}),
  };
  return Object.keys(mark).length === 0 ? undefined : mark;
}
