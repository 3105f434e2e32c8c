const lineFeed = 10;
const carriageReturn = 13;

/** Makes whole lines of bytes that are cut anywhere. What ends behind a line end has no character cut either. */
export class WholeLines {
  #open: Uint8Array[] = [];
  #openLength = 0;

  /** Bytes of the line that has not ended yet. */
  get openLength(): number {
    return this.#openLength;
  }

  /** Returns the lines that are whole now, empty where the chunk ends none. */
  push(chunk: Uint8Array): string {
    const end = lineEnd(chunk);
    if (end === 0) {
      this.#holdBack(chunk);
      return "";
    }
    const lines = Buffer.concat([...this.#open, chunk.subarray(0, end)]).toString("utf8");
    this.clear();
    if (end < chunk.length) this.#holdBack(chunk.subarray(end));
    return lines;
  }

  /** The line that nothing has ended. */
  rest(): string {
    return Buffer.concat(this.#open).toString("utf8");
  }

  clear(): void {
    this.#open = [];
    this.#openLength = 0;
  }

  #holdBack(bytes: Uint8Array): void {
    this.#open.push(bytes);
    this.#openLength += bytes.length;
  }
}

/** Index behind the last line end; 0 where there is none. */
function lineEnd(bytes: Uint8Array): number {
  for (let index = bytes.length - 1; index >= 0; index--) {
    if (bytes[index] === lineFeed || bytes[index] === carriageReturn) return index + 1;
  }
  return 0;
}
