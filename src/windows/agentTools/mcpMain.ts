import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { McpSession } from "../../core/agentTools/mcpSession.ts";
import { ToolClient } from "./toolClient.ts";

/*
 * The MCP server as a process of its own, started by VS Code or by another agent. It knows no credential and makes no
 * request: it describes the tools and passes calls on to a window, which runs them.
 *
 * Arguments, all optional: the version, the folder in which windows announce themselves (otherwise the one of this
 * file), and the file of the window that starts the process.
 */

/** Maximum bytes of a message. Longer lines are rejected. */
const longestLine = 1_000_000;
/** Number of unread bytes for the client after which nothing more is read from it. */
const mostUnread = 1_000_000;
/** Milliseconds for calls in progress after the client has closed its side. */
const lastCallsMs = 1_500;

/** Splits what arrives into lines without ever holding more than one bounded line. */
class Lines {
  #pieces: Buffer[] = [];
  #length = 0;
  #isTooLong = false;

  *read(chunk: Buffer): Generator<string | undefined> {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      yield this.#take();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** Text that was sent without a line break at the end. */
  *end(): Generator<string | undefined> {
    if (this.#length > 0) yield this.#take();
  }

  #keep(piece: Buffer): void {
    if (this.#length + piece.length > longestLine) this.#isTooLong = true;
    if (this.#isTooLong) this.#pieces = [];
    else this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** Undefined for a line that was too long. */
  #take(): string | undefined {
    const line = this.#isTooLong ? undefined : Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#length = 0;
    this.#isTooLong = false;
    return line;
  }
}

function main([version = "1", folder, preferred]: readonly string[]): void {
  const { stdin, stdout } = process;
  const client = new ToolClient({
    folder: folder ?? dirname(fileURLToPath(import.meta.url)),
    ...(preferred === undefined ? {} : { preferred }),
  });
  const session = new McpSession({
    version,
    call: (...call) => client.call(...call),
    write(line) {
      stdout.write(`${line}\n`);
      if (stdout.writableLength > mostUnread) stdin.pause();
    },
  });
  const lines = new Lines();
  const receive = (line: string | undefined): void =>
    line === undefined ? session.refuseLine() : session.receive(line);
  stdout.on("drain", () => stdin.resume());
  stdout.on("error", () => process.exit(0));
  stdin.on("error", () => process.exit(0));
  stdin.on("data", (chunk: Buffer) => {
    for (const line of lines.read(chunk)) receive(line);
  });
  stdin.on("end", () => {
    for (const line of lines.end()) receive(line);
    setTimeout(() => process.exit(0), lastCallsMs);
    void session.idle().then(() => stdout.write("", () => process.exit(0)));
  });
}

main(process.argv.slice(2));
