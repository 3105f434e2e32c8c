import assert from "node:assert/strict";
import { WholeLines } from "../../../src/gateway/completion/eventStream.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

describe("WholeLines", () => {
  it("are the same however the bytes are split, even inside a character", () => {
    const text = "data: Grüße 🎉\r\n\r\ndata: mehr\n";
    const lines = new WholeLines();
    const all = [...bytes(text)].map((byte) => lines.push(Uint8Array.of(byte))).join("");
    assert.equal(all, text);
    assert.equal(lines.rest(), "");
  });

  it("hold back an incomplete line, and report its length", () => {
    const lines = new WholeLines();
    assert.equal(lines.push(bytes("one\ntwo")), "one\n");
    assert.equal(lines.push(bytes(" thr")), "");
    assert.deepEqual([lines.openLength, lines.rest()], [7, "two thr"]);
    assert.equal(lines.push(bytes("ee\n")), "two three\n");
    assert.equal(lines.openLength, 0);
  });
});
