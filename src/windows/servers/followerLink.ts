import { connect } from "node:net";
import type { Socket } from "node:net";
import { FrameReader, writeFrame, readAddress } from "./frames.ts";
import { parseLeaderMessage } from "./leaderMessage.ts";
import type { LeaderMessage } from "./leaderMessage.ts";
import type { LinkAddress } from "./frames.ts";

export interface FollowerLinkContext {
  readonly addressFile: string;
  /** Calls `callback` once after so many milliseconds; returns what cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
  onLeaderMessage(message: LeaderMessage): void;
  /** Called once: the leading window is gone, or can't be found. */
  onClosed(): void;
}

/** A leading window that works answers at once, however long its gateway takes. */
const replyTimeoutMs = 3_000;

/** The way from a window that follows to the one that leads. */
export class FollowerLink {
  readonly #context: FollowerLinkContext;
  readonly #socket: Socket | undefined;
  readonly #waiting = new Map<
    number,
    { readonly cancel: () => void; readonly settle: (isDone: boolean) => void }
  >();
  #requests = 0;
  #isClosed = false;
  #stopWaiting: () => void = () => undefined;

  constructor(context: FollowerLinkContext) {
    this.#context = context;
    const address = readAddress(context.addressFile);
    if (address !== undefined) {
      this.#socket = connect(address.path);
      this.#listen(this.#socket, address);
    }
    this.#stopWaiting = context.schedule(() => this.close(), address === undefined ? 0 : replyTimeoutMs);
  }

  /** Asks the leading window to refresh. False if it doesn't respond. Its result is received before that. */
  refresh(signal: AbortSignal): Promise<boolean> {
    const socket = this.#socket;
    if (this.#isClosed || socket === undefined) return Promise.resolve(false);
    const request = ++this.#requests;
    return new Promise((resolve) => {
      const settle = (isDone: boolean): void => {
        this.#waiting.get(request)?.cancel();
        this.#waiting.delete(request);
        signal.removeEventListener("abort", onAbort);
        resolve(isDone);
      };
      const onAbort = (): void => settle(false);
      signal.addEventListener("abort", onAbort);
      // Stuck: it is left, and found again when it works again.
      this.#waiting.set(request, {
        settle,
        cancel: this.#context.schedule(() => this.close(), replyTimeoutMs),
      });
      socket.write(writeFrame({ type: "refresh", request }));
    });
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopWaiting();
    this.#socket?.destroy();
    for (const { settle } of [...this.#waiting.values()]) settle(false);
    this.#context.onClosed();
  }

  #listen(socket: Socket, { token }: LinkAddress): void {
    const reader = new FrameReader();
    // It waits for the connection, and what is asked meanwhile comes after it.
    socket.write(writeFrame({ type: "hello", token }));
    socket.on("error", () => this.close());
    socket.on("close", () => this.close());
    socket.on("data", (chunk) => {
      try {
        for (const frame of reader.read(chunk)) {
          const message = parseLeaderMessage(frame);
          if (message !== undefined && !this.#isClosed) this.#handleMessage(message);
        }
      } catch {
        this.close();
      }
    });
  }

  #handleMessage(message: LeaderMessage): void {
    if (message.type === "welcome") this.#stopWaiting();
    if (message.type === "asking") this.#waiting.get(message.request)?.cancel();
    if (message.type === "done") this.#waiting.get(message.request)?.settle(true);
    this.#context.onLeaderMessage(message);
  }
}
