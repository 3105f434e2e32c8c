import assert from "node:assert/strict";
import { isRightToLeft } from "../../../src/core/kernel/foreignText.ts";

describe("The direction of a text", () => {
  it("is the direction of its first letter", () => {
    for (const text of ["שלום world", "1. مرحبا", "“ފުރަތަމަ”", "𞤀𞤣"]) assert.ok(isRightToLeft(text), text);
    for (const text of ["hello שלום", "1.", "", "日本語", "Ω"]) assert.ok(!isRightToLeft(text), text);
  });
});
