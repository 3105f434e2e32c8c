import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { numberField } from "../../core/kernel/json.ts";
import type { ListExtent } from "../../core/servers/server.ts";
import { parseError } from "../../core/conversation/messageDetails.ts";
import type { Frame } from "./frames.ts";

/** What a window received from the gateway: the raw response, or why there is none. */
export type PollResult =
  | {
      readonly text: string;
      readonly listedAt: number;
      /** What the headers said of servers beyond the list. */
      readonly extent?: ListExtent;
    }
  | { readonly error: ErrorFacts };

/** A message from the leading window. */
export type LeaderMessage =
  | { readonly type: "welcome" }
  | { readonly type: "result"; readonly result: PollResult }
  /** The list of before is still the list. */
  | { readonly type: "same"; readonly listedAt: number }
  /** When it asks next; undefined if it doesn't. */
  | { readonly type: "next"; readonly inMs: number | undefined }
  /** It refreshes now, as requested. */
  | { readonly type: "asking"; readonly request: number }
  | { readonly type: "done"; readonly request: number };

/** Undefined for what this version doesn't know. */
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
  return {
    ...(total === undefined ? {} : { total }),
    ...(head["hasMore"] === true ? { hasMore: true } : {}),
  };
}
