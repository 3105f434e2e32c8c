import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import type { ListExtent } from "../../core/servers/server.ts";
import { parseError } from "../../core/conversation/messageDetails.ts";
import type { Frame } from "../link/frames.ts";

/** What a window received from the gateway: the raw response, or an error. */
export type PollResult =
  | {
      readonly text: string;
      readonly listedAt: number;
      /** What the headers said about servers beyond the list. */
      readonly extent?: ListExtent;
    }
  | { readonly error: ErrorFacts };

/** A message from the leading window. */
export type LeaderMessage =
  | { readonly type: "welcome" }
  | { readonly type: "result"; readonly result: PollResult }
  /** The list hasn't changed. */
  | { readonly type: "same"; readonly listedAt: number }
  /** When it polls next; undefined if it doesn't. */
  | { readonly type: "next"; readonly inMs: number | undefined }
  /** It is refreshing now, as requested. */
  | { readonly type: "asking"; readonly request: number }
  | { readonly type: "done"; readonly request: number };

/** Undefined for messages that this version doesn't support. */
export function parseLeaderMessage({ head, body }: Frame): LeaderMessage | undefined {
  const listedAt = numberField(head, "listedAt");
  const request = numberField(head, "request");
  const error = parseError(head["error"]);
  switch (head["type"]) {
    case "welcome":
      return { type: "welcome" };
    case "list":
      return listedAt === undefined
        ? undefined
        : { type: "result", result: { text: body.toString("utf8"), listedAt, extent: parseExtent(head) } };
    case "failed":
      return error === undefined ? undefined : { type: "result", result: { error } };
    case "same":
      return listedAt === undefined ? undefined : { type: "same", listedAt };
    case "next":
      return { type: "next", inMs: numberField(head, "inMs") };
    case "asking":
    case "done":
      return request === undefined ? undefined : { type: head["type"], request };
    default:
      return undefined;
  }
}

function parseExtent(head: Frame["head"]): ListExtent {
  const total = numberField(head, "total");
  const incomplete = stringField(head, "incomplete");
  return {
    ...(total === undefined ? {} : { total }),
    ...(head["hasMore"] === true ? { hasMore: true } : {}),
    ...(incomplete === undefined ? {} : { incomplete }),
  };
}
