import assert from "node:assert/strict";
import * as mdurl from "mdurl";
import { decode, encode, format, parse } from "../../../src/webview/markdown/linkAddress.ts";
import { createRandom } from "../support/render.ts";

const pieces = [
  "https://",
  "HTTP://",
  "//",
  "mailto:",
  "data:",
  "javascript:",
  "ftp://",
  "/",
  "?",
  "#",
  ":",
  "@",
  "&",
  "=",
  "a",
  "example.org",
  "бücher.example",
  "[::1]",
  "127.0.0.1",
  ":8080",
  "%20",
  "%2F",
  "%e4%bd%a0",
  "%C3%A4",
  "%zz",
  "%",
  " ",
  "[",
  "]",
  "(",
  ")",
  "\\",
  '"',
  "<",
  "^",
  "`",
  "{",
  "|",
  "~",
  "é",
  "你",
  "👩‍💻",
  "\ud83d",
  "\udc69",
  "+",
  "$",
  "'",
  "*",
  ";",
  ",",
  "!",
];

function randomAddress(random: () => number): string {
  const count = 1 + Math.floor(random() * 8);
  return Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join("");
}

describe("The address of a link in the page", () => {
  it("is encoded as the package does it", () => {
    const random = createRandom(1);
    for (let index = 0; index < 5_000; index += 1) {
      const text = randomAddress(random);
      assert.equal(encode(text), mdurl.encode(text), text);
      assert.equal(encode(encode(text)), encode(text));
    }
  });

  it("is put together from its parts as it was", () => {
    const random = createRandom(2);
    for (let index = 0; index < 5_000; index += 1) {
      const text = randomAddress(random);
      assert.equal(format(parse(text)), text);
    }
  });

  it("has the host that the browser finds in it", () => {
    for (const url of [
      "https://example.org",
      "https://example.org:8080/a?b#c",
      "HTTPS://me:pw@example.org/a@b",
      "//example.org/x",
      "http://[::1]:80/",
      "mailto:you@example.org?subject=a@b",
      "ftp://example.org",
      "https://a@b@example.org/",
    ]) {
      const { hostname = "" } = parse(url);
      const expected = url.startsWith("mailto:") ? "example.org" : new URL(url, "https://x").hostname;
      assert.equal(hostname, expected.replace(/^\[(.*)\]$/, "$1"), url);
    }
    for (const path of ["a/b", "/a//b", "#a", "?x=//y", "a:b", "javascript:x", "data:text/plain,//x"]) {
      assert.equal(parse(path).hostname, undefined, path);
    }
  });

  it("is decoded as the package does it where it is text", () => {
    for (const text of [
      "%20a%C3%A4%e4%bd%a0",
      "%2F%3F%23%25%26%3D%2B%24%2C%3B%3A%40",
      "%41%42",
      "100%",
      "%zz",
    ]) {
      assert.equal(decode(text), mdurl.decode(text, `${mdurl.decode.defaultChars}%`), text);
    }
    assert.equal(decode("%ff"), "%ff");
  });
});
