import assert from "node:assert/strict";
import { parseDeclarations, parseMathMarkup } from "../../../../src/webview/markdown/math/typesetMath.ts";

describe("The markup of a formula", () => {
  it("is parsed into nodes with their text", () => {
    assert.deepEqual(parseMathMarkup('<span class="a &amp; b"><mi>x&lt;</mi></span>'), [
      {
        name: "span",
        attributes: { class: "a & b" },
        children: [{ name: "mi", attributes: {}, children: ["x<"] }],
      },
    ]);
  });

  it("loses every element and attribute that formulas don't use", () => {
    const markup =
      '<span onclick="x" id="y"><script>alert(1)</script><img src="https://evil.example"/><a href="x">b</a></span>';
    assert.deepEqual(parseMathMarkup(markup), [{ name: "span", attributes: {}, children: [] }]);
  });

  it("keeps only sizes and colors from its styles", () => {
    assert.deepEqual(parseDeclarations("height:1.2em;margin-right:-0.1em;color:#cc0000;"), [
      ["height", "1.2em"],
      ["margin-right", "-0.1em"],
      ["color", "#cc0000"],
    ]);
    assert.deepEqual(
      parseDeclarations("background:url(https://evil.example);position:fixed;--x:1;z-index:9"),
      [],
    );
  });

  it("isn't accepted if it is nested so deeply that the browser would crash", () => {
    const nested = (levels: number) => "<mrow>".repeat(levels) + "</mrow>".repeat(levels);
    assert.equal(parseMathMarkup(nested(200)).length, 1);
    assert.throws(() => parseMathMarkup(nested(1000)), /nested too deeply/);
  });
});
