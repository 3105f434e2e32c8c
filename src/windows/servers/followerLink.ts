import { connect } from "node:net";
import type { Socket } from "node:net";
import { FrameReader, writeFrame, readLinkAddress } from "../link/frames.ts";
import { parseLeaderMessage } from "./leaderLink.ts";
import type { LeaderMessage } from "./leaderLink.ts";
import type { LinkAddress } from "../link/frames.ts";

interface FollowerLinkContext {
  readonly addressFile: string;
  /** Calls `callback` once after this many milliseconds; returns a function that cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
  onLeaderMessage(message: LeaderMessage): void;
  /** Called once when the leading window is gone or can't be found. */
  onClosed(): void;
}

/** A working leader responds immediately, however long its gateway takes. */
const replyTimeoutMs = 3_000;

/** The connection from a following window to the leading one. */
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
    const address = readLinkAddress(context.addressFile);
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
      // The leader is unresponsive: disconnect, and find it again once it works.
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
    // Queued until the connection is established, like any requests made in the meantime.
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
