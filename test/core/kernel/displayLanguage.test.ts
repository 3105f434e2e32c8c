import assert from "node:assert/strict";
import { displayLanguage, setDisplayLanguage } from "../../../src/core/kernel/displayLanguage.ts";
import { formatNumber } from "../../../src/core/kernel/formatNumber.ts";

describe("The language that is shown", () => {
  afterEach(() => setDisplayLanguage(""));

  it("is that of numbers", () => {
    setDisplayLanguage("de");
    assert.equal(formatNumber(1234.5), "1.234,5");
    assert.equal(formatNumber(1234.5, "en"), "1,234.5");
  });

  it("is left to the surroundings where they speak it, if no one does and where it isn't a language", () => {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    for (const tag of [locale.split("-")[0] ?? "", "qps-ploc", "", "not a tag"]) {
      setDisplayLanguage(tag);
      assert.equal(displayLanguage(), undefined, tag);
    }
  });
});
