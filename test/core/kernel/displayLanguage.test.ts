import assert from "node:assert/strict";
import { displayLanguage, setDisplayLanguage } from "../../../src/core/kernel/displayLanguage.ts";
import { formatNumber } from "../../../src/core/kernel/formatTime.ts";

describe("The display language", () => {
  afterEach(() => setDisplayLanguage(""));

  it("is used to format numbers", () => {
    setDisplayLanguage("de");
    assert.equal(formatNumber(1234.5), "1.234,5");
    assert.equal(formatNumber(1234.5, "en"), "1,234.5");
  });

  it("is undefined if it matches the environment's, is a pseudo-language or is invalid", () => {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    for (const tag of [locale.split("-")[0] ?? "", "qps-ploc", "", "not a tag"]) {
      setDisplayLanguage(tag);
      assert.equal(displayLanguage(), undefined, tag);
    }
  });
});
