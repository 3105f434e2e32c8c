import assert from "node:assert/strict";
import { decodeOutput } from "../../../src/processes/programs/programOutput.ts";

describe("What a program prints", () => {
  const page = (number: number) => (): Promise<number> => Promise.resolve(number);
  const unasked = (): Promise<number> => Promise.reject(new Error("The code page isn't needed."));

  it("is read as UTF-8, without asking for the code page", async () => {
    assert.equal(await decodeOutput(Buffer.from("Schlüssel 密钥\n"), unasked), "Schlüssel 密钥\n");
    assert.equal(await decodeOutput(Buffer.alloc(0), unasked), "");
  });

  it("is read as UTF-16, with and without its mark", async () => {
    assert.equal(await decodeOutput(Buffer.from("\ufefftoken-1\r\n", "utf16le"), unasked), "token-1\r\n");
    assert.equal(await decodeOutput(Buffer.from("token für dich", "utf16le"), unasked), "token für dich");
  });

  it("is read in the code page of the console", async () => {
    assert.equal(await decodeOutput(Buffer.from([0x81, 0x62, 0x65, 0x72]), page(850)), "über");
    assert.equal(await decodeOutput(Buffer.from([0x8c, 0x61]), page(852)), "îa");
    assert.equal(await decodeOutput(Buffer.from([0x8f, 0xe0, 0xa8]), page(866)), "При");
    assert.equal(await decodeOutput(Buffer.from([0xc3, 0xdc, 0xd4, 0xbf]), page(936)), "密钥");
    assert.equal(await decodeOutput(Buffer.from([0xfc]), page(1252)), "ü");
  });

  it("keeps its letters if the code page isn't known", async () => {
    assert.equal(await decodeOutput(Buffer.from([0x61, 0xff, 0x62]), page(0)), "a\ufffdb");
  });
});
