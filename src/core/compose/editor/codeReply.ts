/** A line that opens or closes a code block: its mark, and what follows it. */
const fence = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;
/** The beginning of a line that may become a fence. */
const fenceStart = /^\s*(?:`|~|$)/;

interface OpenBlock {
  readonly mark: string;
  /** Blocks inside the block, such as in a Markdown file, that aren't closed yet. */
  depth: number;
}

/**
 * The code in a streamed response that should be one code block: without its fences, an introduction and what follows.
 * A response without any fence is code itself. Takes time linear in the length of the response.
 */
export class CodeReply {
  /** The text is Markdown, so fences in a response that doesn't begin with one belong to it. */
  readonly #isMarkdown: boolean;
  #code: string | undefined;
  #pending = "";
  #block: OpenBlock | undefined;
  #state: "before" | "plain" | "inside" | "after" = "before";
  #hasMore = false;

  constructor({ isMarkdown = false }: { readonly isMarkdown?: boolean } = {}) {
    this.#isMarkdown = isMarkdown;
  }

  /** The code so far, with `\n` between its lines and without a line end after the last one. */
  get code(): string {
    const code = this.#code ?? "";
    if (this.#state === "after" || fenceStart.test(this.#pending)) return code;
    return this.#code === undefined ? this.#pending : `${code}\n${this.#pending}`;
  }

  /** Whether anything was received that can be applied. An empty code block removes the code. */
  get isEmpty(): boolean {
    return this.code.trim() === "" && this.#state !== "after";
  }

  /** Whether a code block has begun and hasn't ended. */
  get isOpen(): boolean {
    return this.#state === "inside";
  }

  /** Whether there are more code blocks, which aren't part of the code. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Reads the next part of the response, however it is cut. */
  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#readLine(this.#pending + text.slice(from, end));
      this.#pending = "";
      from = end + 1;
    }
    this.#pending += text.slice(from);
  }

  /** Discards everything so far, because it wasn't part of the response. */
  restart(): void {
    this.#code = undefined;
    this.#pending = "";
    this.#block = undefined;
    this.#state = "before";
    this.#hasMore = false;
  }

  /** No text follows. */
  finish(): void {
    if (this.#pending !== "") this.#readLine(this.#pending);
    this.#pending = "";
    if (this.#state === "plain") this.#code = this.#code?.trimEnd();
  }

  #readLine(raw: string): void {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const [, mark = "", info = ""] = fence.exec(line) ?? [];
    switch (this.#state) {
      case "before":
        if (mark !== "") return this.#begin(mark);
        if (line.trim() === "") return;
        this.#state = "plain";
        return this.#add(line);
      case "plain":
        // Everything before it was an introduction.
        if (mark !== "" && !this.#isMarkdown) return this.#begin(mark);
        return this.#add(line);
      case "inside":
        if (this.#isEnd(mark, info)) this.#state = "after";
        else this.#add(line);
        return;
      case "after":
        if (mark !== "") this.#hasMore = true;
    }
  }

  #begin(mark: string): void {
    this.#code = undefined;
    this.#block = { mark, depth: 0 };
    this.#state = "inside";
  }

  #isEnd(mark: string, info: string): boolean {
    const block = this.#block;
    if (block === undefined || !mark.startsWith(block.mark)) return false;
    if (info.trim() !== "") block.depth++;
    else if (block.depth > 0) block.depth--;
    else return true;
    return false;
  }

  #add(line: string): void {
    this.#code = this.#code === undefined ? line : `${this.#code}\n${line}`;
  }
}

/** A line whose next one must be deeper, possibly with a comment at its end. */
const opensBlock = /[:([{][ \t]*(?:#|\/\/|$)/;

/**
 * The code with the indentation of the original. Models tend to move a part to the left margin, or only its first line.
 */
export function reindent(original: string, code: string): string {
  // A line of nothing but indentation is to be filled.
  const wanted = indentOf(original.trim() === "" ? original : firstLine(original));
  const first = firstLine(code);
  const found = indentOf(first);
  if (wanted === found || !wanted.startsWith(found)) return code;
  const missing = wanted.slice(found.length);
  const lines = code.split("\n");
  const index = lines.indexOf(first);
  const rest = lines.slice(index + 1).filter((line) => line.trim() !== "");
  // Otherwise, the body of a Python function would be as deep as its head.
  const isBody = opensBlock.test(first) && indentOf(rest[0] ?? "") === wanted;
  const isOnlyFirst = rest.length > 0 && !isBody && rest.every((line) => line.startsWith(wanted));
  return lines
    .map((line, at) => (line.trim() === "" || (isOnlyFirst && at !== index) ? line : missing + line))
    .join("\n");
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "") ?? "";
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
