import type { TokenCounts } from "../../core/kernel/errors.ts";
import { visitErrorFields } from "./errorFields.ts";
import { parseWaitField } from "./rateLimit.ts";

/** What an error body has beside its message and its code, wherever it has it: what the reason is judged by. */
export interface ErrorClues {
  /** Whatever is written like a code: `insufficient_quota`, `RESOURCE_EXHAUSTED`, `1113`; the outermost first. */
  readonly kinds: readonly string[];
  /** Names of rejected parameters, from fields such as `param`. */
  readonly parameters: readonly string[];
  /** The wait that the body asks for, in milliseconds. */
  readonly waitMs?: number;
  readonly tokens: TokenCounts;
}

const maxKinds = 40;

/** Names in the form in which `visitErrorFields` passes them. */
const kindNames =
  /^(?:reasons|category|error|class|id|errno|ret|typename)$|(?:code|type|kind|reason|status)$/;
const numberKindNames = /(?:code|^errno|^ret)$/;
const parameterNames =
  /^(?:param|params|parameter|parameters|paramname|argument|argumentname|field|fieldname)$/;
const waitNames =
  /^(?:retry(?:delay|after|in|at)|(?:retryafter|wait|resetin|resetafter)(?:ms|millis|milliseconds|s|secs?|seconds?)?|waitseconds|waittime)$/;
const limitNames =
  /^(?:nctx|maxcontextlength|contextlength|contextwindow|contextsize|maxinputtokens|tokenlimit)$/;
const requestedNames =
  /^(?:nprompttokens|prompttokens|inputtokens|requestedtokens|currenttokens|tokencount)$/;

/**
 * Looks through a parsed error body.
 * @param serverNow The server's clock in milliseconds since 1970.
 */
export function readErrorClues(document: unknown, serverNow: number): ErrorClues {
  const kinds: string[] = [];
  const parameters: string[] = [];
  let waitMs: number | undefined;
  let limit: number | undefined;
  let requested: number | undefined;

  visitErrorFields(document, (name, value) => {
    if (kindNames.test(name) && kinds.length < maxKinds) kinds.push(...kindsOf(name, value));
    if (parameterNames.test(name) && typeof value === "string") parameters.push(value);
    if (name === "loc" && Array.isArray(value)) parameters.push(value.join("."));
    if (waitNames.test(name)) waitMs ??= parseWaitField(name, value, serverNow);
    if (limitNames.test(name)) limit ??= countOf(value);
    if (requestedNames.test(name)) requested ??= countOf(value);
  });
  return {
    kinds,
    parameters,
    ...(waitMs === undefined ? {} : { waitMs }),
    tokens: {
      ...(limit === undefined ? {} : { limit }),
      ...(requested === undefined ? {} : { requested }),
    },
  };
}

function kindsOf(name: string, value: unknown): readonly string[] {
  if (typeof value === "number") return numberKindNames.test(name) ? [String(value)] : [];
  if (typeof value === "string") return isKind(value) ? [value] : [];
  return Array.isArray(value) ? value.slice(0, 10).flatMap((item) => kindsOf(name, item)) : [];
}

/** One word of letters, digits and separators. */
function isKind(text: string): boolean {
  return /^[\w./:#@-]{2,100}$/.test(text);
}

function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}
