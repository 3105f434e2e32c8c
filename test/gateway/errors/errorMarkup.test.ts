import assert from "node:assert/strict";
import { isHtml, withoutTags } from "../../../src/gateway/errors/errorMarkup.ts";
import { parseErrorText } from "../../../src/gateway/errors/serverText.ts";
import { assertLinear } from "../../support/growth.ts";

describe("Errors in markup", () => {
  it("are found after any number of comments", () => {
    assert.equal(isHtml(`${"<!-- x -->\n".repeat(3_000)}<html>`), true);
    assert.equal(isHtml(`${"<!-- x -->\n".repeat(3_000)}x`), false);
    assert.equal(isHtml("<!-- never closed"), false);
  });

  it("are parsed despite unclosed elements, scripts and styles", () => {
    const page =
      "<html><head><meta charset=x><script>var a = '<title>no</title>';</script><title>Bad &amp; worse</title>";
    assert.equal(parseErrorText(`${page}</head><body><br><p>x`).message, "Bad & worse");
    const xml = "<Error><Message><![CDATA[a < b]]></Message></Error>";
    assert.equal(parseErrorText(xml).message, "a < b");
  });

  it("are shown without tags, but with text that only looks like a tag", () => {
    assert.equal(withoutTags('<p>Pay <b>now</b>&nbsp;<a href="x">here</a></p>'), "Pay now here");
    assert.equal(withoutTags("org-1 <ak-2> List<string> a < b > c"), "org-1 <ak-2> List<string> a < b > c");
  });

  it("are parsed in linear time, whatever the markup is", () => {
    for (const piece of ["<code ", "<code>", "<!--", "<!-- -->", "</p>", "<![CDATA[", "&#1;", "<a:a:a:"]) {
      assertLinear(2_000, (count) => `<Error>${piece.repeat(count)}`, parseErrorText);
    }
  });
});
