import assert from "node:assert/strict";
import { parseExpiry } from "../../../src/core/account/secretInput.ts";

const now = new Date(2026, 10, 21, 14, 0, 0).getTime();

function read(text: string): number | string {
  const reading = parseExpiry(text, now);
  return "expiresAt" in reading ? (reading.expiresAt - now) / 60_000 : reading.problem;
}

describe("A token expiry entered by the user", () => {
  it("can be a duration from now", () => {
    assert.equal(read("55m"), 55);
    assert.equal(read(" 1h 30m "), 90);
    assert.equal(read("90 minutes"), 90);
    assert.equal(read("2 days, 1 hour"), 49 * 60);
    assert.equal(read("3600s"), 60);
  });

  it("can be a time of day, meaning its next occurrence", () => {
    assert.equal(read("14:30"), 30);
    assert.equal(read("13:59"), 23 * 60 + 59);
  });

  it("can be a date and time, in local time unless it names a zone, or a Unix time", () => {
    assert.equal(read("2026-11-21 15:00"), 60);
    assert.equal(read(new Date(now + 3_600_000).toISOString()), 60);
    assert.equal(read(String(now / 1_000 + 60)), 1);
    assert.equal(read(String(now + 60_000)), 1);
    assert.equal(read("2026-11-21"), 10 * 60 - 1 / 60);
  });

  it("is rejected with the reason if it isn't valid", () => {
    for (const text of ["", "soon", "55", "25:00", "2026-13-45 10:00", "m5", "-5m"]) {
      assert.match(String(read(text)), /^Enter a duration/, text);
    }
    assert.match(String(read("2020-01-01 10:00")), /in the past/);
    assert.match(String(read("0m")), /in the past/);
    assert.match(String(read("9999d")), /too far in the future/);
  });
});
