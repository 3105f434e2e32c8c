import type { Socket } from "node:net";

const lineFeed = 10;
const carriageReturn = 13;
const digitZero = 48;
const digitOne = 49;
const digitTwo = 50;
/** Places in a status line such as `HTTP/1.1 100`. */
const firstDigit = 9;
const lastDigit = 11;

/**
 * Some servers and proxies send `100 Continue` though nobody asked for it. undici takes that for a broken response and
 * closes the connection, while it skips every other informational head; so 100 becomes 102 before undici reads it.
 */
export class ContinueHeads {
  /** Where in the current head the next byte stands; undefined while the final response is being read. */
  #index: number | undefined;
  #isInformational = false;
  #canBeContinue = false;
  #emptyLineBytes = 0;

  /** @returns The same socket, whose bytes are looked at when they are read. */
  watch(socket: Socket): Socket {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const chunk: unknown = read(size);
      if (this.#index !== undefined && chunk instanceof Uint8Array) this.#look(chunk);
      return chunk;
    };
    return socket;
  }

  /** A request goes out: what comes next is the head of its response. */
  begin(): void {
    this.#index = 0;
    this.#isInformational = false;
  }

  #look(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#index !== undefined; at++) this.#lookAt(chunk, at);
  }

  #lookAt(chunk: Uint8Array, at: number): void {
    const byte = chunk[at];
    const index = this.#index ?? 0;
    if (index === 0 && (byte === lineFeed || byte === carriageReturn)) return;
    this.#index = index + 1;
    if (index === firstDigit) {
      this.#isInformational = this.#canBeContinue = byte === digitOne;
      this.#emptyLineBytes = 0;
      if (!this.#isInformational) this.#index = undefined;
    } else if (index > firstDigit && index < lastDigit) this.#canBeContinue &&= byte === digitZero;
    else if (index === lastDigit && this.#canBeContinue && byte === digitZero) chunk[at] = digitTwo;
    else if (index > lastDigit) this.#seekEnd(byte);
  }

  /** An empty line ends a head, and another one begins. */
  #seekEnd(byte: number | undefined): void {
    if (byte === lineFeed) this.#emptyLineBytes++;
    else if (byte !== carriageReturn) this.#emptyLineBytes = 0;
    if (this.#emptyLineBytes === 2) this.begin();
  }
}
