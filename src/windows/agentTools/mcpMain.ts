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

/** Bytes that are kept of the start and of the end of a longer line, which contain the ID of its message. */
const keptOfEdge = 400;

/** A line without its middle. */
interface CutLine {
  readonly start: string;
  readonly end: string;
}

/** Splits what arrives into lines without ever holding more than one bounded line. */
class Lines {
  #pieces: Buffer[] = [];
  #length = 0;
  /** The edges of a line that is too long. */
  #cut: { readonly start: Buffer; end: Buffer } | undefined;

  *read(chunk: Buffer): Generator<string | CutLine> {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#keep(chunk.subarray(from, end));
      yield this.#take();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** Text that was sent without a line break at the end. */
  *end(): Generator<string | CutLine> {
    if (this.#length > 0) yield this.#take();
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#cut === undefined) {
      this.#pieces.push(piece);
      if (this.#length <= longestLine) return;
      const whole = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#cut = { start: Buffer.from(whole.subarray(0, keptOfEdge)), end: lastOf(whole) };
    } else this.#cut.end = lastOf(Buffer.concat([this.#cut.end, lastOf(piece)]));
  }

  #take(): string | CutLine {
    const { start, end } = this.#cut ?? {};
    const line =
      start === undefined || end === undefined
        ? Buffer.concat(this.#pieces).toString("utf8")
        : { start: start.toString("utf8"), end: end.toString("utf8") };
    this.#pieces = [];
    this.#length = 0;
    this.#cut = undefined;
    return line;
  }
}

/** As a copy, because a part of a buffer would keep all of it in memory. */
function lastOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(-keptOfEdge));
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
  const receive = (line: string | CutLine): void =>
    typeof line === "string" ? session.receive(line) : session.refuseLine(line.start, line.end);
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
