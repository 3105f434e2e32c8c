import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { SupplyShare } from "../../core/account/suppliedCredentials.ts";
import { AnnouncedServer } from "../link/announcedServer.ts";
import { FrameReader, readLinkAddress, writeFrame } from "../link/frames.ts";
import { Lease } from "../link/lease.ts";

interface CredentialShareContext {
  /** The files by which the windows find each other, without their extensions. */
  readonly files: string;
  /** The response of this window while it leads. Never rejects. */
  answer(refused: string | undefined): Promise<string>;
}

/** A working window acknowledges a request immediately, however long its command takes. */
const acknowledgeMs = 3_000;
/** Longer than any command may take. */
const answerMs = 90_000;
/** How often, and after how long, a window looks for the leading one again. */
const attempts = 20;
const attemptMs = 100;

/**
 * The windows that need the credential of one command. The one that has the lease runs it, and passes the credential
 * on to the others over a local socket. When it is closed or killed, another window takes over.
 */
export class CredentialShare implements SupplyShare {
  readonly #context: CredentialShareContext;
  readonly #lease: Lease;
  #server: AnnouncedServer | undefined;
  #isClosed = false;

  constructor(context: CredentialShareContext) {
    this.#context = context;
    this.#lease = new Lease(`${context.files}.lock`);
  }

  async ask(refused: string | undefined): Promise<string | undefined> {
    for (let attempt = 0; attempt < attempts && !this.#isClosed; attempt++) {
      if (this.#lease.acquire()) {
        this.#lead();
        return undefined;
      }
      const answer = await this.#askLeader(refused);
      if (answer !== undefined) return answer;
      await delay(attemptMs);
    }
    // The leading window is stuck, so each window runs the command itself.
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    // The lease is released first, so that it is free when others notice that the connection is closed.
    this.#lease.release();
    this.#server?.close();
  }

  #lead(): void {
    if (!this.#lease.isHeld || this.#server !== undefined) return;
    this.#server = new AnnouncedServer({
      addressFile: `${this.#context.files}.link`,
      onMessage: (socket, { type, refused }) => {
        if (type !== "obtain") return;
        socket.write(writeFrame({ type: "asking" }));
        void this.#answer(socket, typeof refused === "string" ? refused : undefined);
      },
    });
  }

  async #answer(socket: Socket, refused: string | undefined): Promise<void> {
    const text = await this.#context.answer(refused);
    socket.write(writeFrame({ type: "done" }, Buffer.from(text)));
  }

  /** Undefined if no window responds. */
  #askLeader(refused: string | undefined): Promise<string | undefined> {
    const address = readLinkAddress(`${this.#context.files}.link`);
    if (address === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const socket = connect(address.path);
      const reader = new FrameReader();
      const settle = (answer?: string): void => {
        clearTimeout(timer);
        socket.destroy();
        resolve(answer);
      };
      let timer = setTimeout(() => settle(), acknowledgeMs);
      socket.on("error", () => settle());
      socket.on("close", () => settle());
      socket.on("data", (chunk) => {
        try {
          for (const { head, body } of reader.read(chunk)) {
            if (head["type"] === "done") settle(body.toString("utf8"));
            if (head["type"] !== "asking") continue;
            clearTimeout(timer);
            timer = setTimeout(() => settle(), answerMs);
          }
        } catch {
          settle();
        }
      });
      socket.write(writeFrame({ type: "hello", token: address.token }));
      socket.write(writeFrame({ type: "obtain", refused }));
    });
  }
}
