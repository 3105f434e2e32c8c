import type { Socket } from "node:net";
import { parseError } from "../../core/conversation/messageDetails.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { numberField, stringField } from "../../core/kernel/json.ts";
import type { ListExtent } from "../../core/servers/server.ts";
import { AnnouncedServer } from "../link/announcedServer.ts";
import { writeFrame } from "../link/frames.ts";
import type { Frame } from "../link/frames.ts";

interface LeaderLinkContext {
  /** The file that contains the address. */
  readonly addressFile: string;
  now(): number;
  /** Called when another window's user requests a refresh. Never rejects. */
  refresh(): Promise<void>;
}

/** No more than this many bytes are sent to a window that has stopped reading. */
const mostUnread = 64 * 1024 * 1024;

/** Sends what this window receives to the following windows over a local socket. None of it is written to disk. */
export class LeaderLink {
  readonly #context: LeaderLinkContext;
  readonly #server: AnnouncedServer;
  readonly #followers = new Map<Socket, { text: string | undefined }>();
  #lastList: { readonly text: string; readonly listedAt: number } | undefined;
  #lastError: Extract<PollResult, { readonly error: unknown }> | undefined;
  #nextAt: number | undefined;

  constructor(context: LeaderLinkContext) {
    this.#context = context;
    this.#server = new AnnouncedServer({
      addressFile: context.addressFile,
      onWelcomed: (socket) => this.#welcome(socket),
      onMessage: (socket, head) => this.#handleRequest(socket, head),
      onClosed: (socket) => this.#followers.delete(socket),
    });
  }

  broadcast(result: PollResult): void {
    if ("error" in result) this.#lastError = result;
    else {
      this.#lastList = result;
      this.#lastError = undefined;
    }
    for (const socket of this.#followers.keys()) this.#send(socket, result);
  }

  /** @param delayMs Undefined if this window doesn't poll. */
  announce(delayMs: number | undefined): void {
    this.#nextAt = delayMs === undefined ? undefined : this.#context.now() + delayMs;
    for (const socket of this.#followers.keys()) this.#sendNext(socket);
  }

  close(): void {
    this.#server.close();
  }

  #welcome(socket: Socket): void {
    this.#followers.set(socket, { text: undefined });
    if (this.#lastList !== undefined) this.#send(socket, this.#lastList);
    if (this.#lastError !== undefined) this.#send(socket, this.#lastError);
    this.#sendNext(socket);
  }

  #handleRequest(socket: Socket, { type, request }: Readonly<Record<string, unknown>>): void {
    if (type !== "refresh") return;
    socket.write(writeFrame({ type: "asking", request }));
    void this.#context.refresh().then(() => socket.write(writeFrame({ type: "done", request })));
  }

  #send(socket: Socket, result: PollResult): void {
    const follower = this.#followers.get(socket);
    if (follower === undefined) return;
    if (socket.writableLength > mostUnread) {
      socket.destroy();
      return;
    }
    if ("error" in result) socket.write(writeFrame({ type: "failed", error: result.error }));
    else if (result.text === follower.text) {
      socket.write(writeFrame({ type: "same", listedAt: result.listedAt }));
    } else {
      follower.text = result.text;
      const head = { type: "list", listedAt: result.listedAt, ...result.extent };
      socket.write(writeFrame(head, Buffer.from(result.text)));
    }
  }

  #sendNext(socket: Socket): void {
    const inMs = this.#nextAt === undefined ? undefined : this.#nextAt - this.#context.now();
    socket.write(writeFrame({ type: "next", inMs }));
  }
}

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
