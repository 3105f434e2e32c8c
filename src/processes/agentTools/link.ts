import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { isRecord, stringField } from "../../core/kernel/json.ts";

/** A message between a window and another program, sent as a line of JSON. */
export type LinkMessage = Readonly<Record<string, unknown>>;

/** UTF-16 code units of a message, more than any tool returns. */
const longestMessage = 16_000_000;

/** The message as it is sent. */
export function writeMessage(message: LinkMessage): string {
  return `${JSON.stringify(message)}\n`;
}

/** Reassembles what arrives in pieces. */
export class LinkReader {
  #rest = "";

  /** The messages that are complete now. Throws an Error for data that isn't sent by this extension. */
  read(text: string): readonly LinkMessage[] {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > longestMessage) throw new Error("A message never ended.");
    return lines.map((line) => {
      const message: unknown = JSON.parse(line);
      if (!isRecord(message)) throw new Error("Invalid message.");
      return message;
    });
  }
}

/** The address of a window, in a file that only this user can read. */
export interface LinkAddress {
  readonly path: string;
  /** Known only to those who can read the file, because named pipes on Windows are open to everyone. Never sent. */
  readonly token: string;
}

/**
 * Proves to the other side that this one knows the token, without sending it: another user's program can open a pipe with
 * the name of a window that is gone.
 * @param nonce The other side's, new for each connection.
 */
export function linkProof({ token }: LinkAddress, side: "window" | "program", nonce: string): string {
  return createHmac("sha256", token).update(`${side} ${nonce}`).digest("hex");
}

/** Undefined if no window has announced an address. */
export function readLinkAddress(file: string): LinkAddress | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, "utf8"));
    const path = isRecord(stored) ? stringField(stored, "path") : undefined;
    const token = isRecord(stored) ? stringField(stored, "token") : undefined;
    return path === undefined || token === undefined ? undefined : { path, token };
  } catch {
    return undefined;
  }
}
