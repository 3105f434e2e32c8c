import assert from "node:assert/strict";
import { parseMessage } from "../../../../src/core/kernel/pageMessages.ts";
import { fromTable } from "../../../../src/core/servers/table/tableProtocol.ts";
import type { FromTable } from "../../../../src/core/servers/table/tableProtocol.ts";
import { checkRules } from "../../../support/checkRules.ts";
import { csvText } from "../../../../src/core/kernel/csv.ts";
import { sortRows } from "../../../../src/core/servers/sortRows.ts";

describe("Sorting servers", () => {
  const keysOf = (keys: readonly (string | number | undefined)[], isDescending = false) => {
    const rows = keys.map((key) => ({ key, mark: undefined }));
    return sortRows(rows, isDescending, ({ key }) => key).map(({ key }) => key);
  };

  it("sorts numbers inside text by value, and empty values last in both directions", () => {
    assert.deepEqual(keysOf(["n10", undefined, "n9", "N1"]), ["N1", "n9", "n10", undefined]);
    assert.deepEqual(keysOf(["n10", undefined, "n9", "N1"], true), ["n10", "n9", "N1", undefined]);
    assert.deepEqual(keysOf(["free", 12.5, 0.9]), [0.9, 12.5, "free"]);
  });

  it("keeps the order of equal rows, and pinned rows first", () => {
    const row = (key: string, position: number, isPinned = false) => {
      const mark = { isPinned, isWatched: false, isMuted: false };
      return { key, position, mark };
    };
    const rows = [row("b", 0), row("a", 1), row("a", 2), row("z", 3, true)];
    const positions = (isDescending: boolean): readonly number[] =>
      sortRows(rows, isDescending, ({ key }) => key).map(({ position }) => position);
    assert.deepEqual(positions(false), [3, 1, 2, 0]);
    assert.deepEqual(positions(true), [3, 0, 1, 2]);
  });
});

describe("A table as CSV", () => {
  it("contains no formula that a spreadsheet would run", () => {
    for (const text of ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1", "\r=1", "|x", "%0A=1"]) {
      assert.equal(csvText([[text]]), `"'${text}"\r\n`, text);
    }
  });

  it("leaves numbers, names and addresses unchanged", () => {
    assert.equal(csvText([["-3.5", "a-b", "10.0.0.1"]]), '"-3.5","a-b","10.0.0.1"\r\n');
  });

  it("keeps quotation marks, commas and line breaks inside their field", () => {
    assert.equal(csvText([["H"], ['a "b", c\nd']]), '"H"\r\n"a ""b"", c\nd"\r\n');
  });
});

describe("A message from the page of the table", () => {
  checkRules<FromTable>(fromTable, {
    ready: { type: "ready", filter: "gpu:h100" },
    filter: { type: "filter", text: "gpu:h100" },
    sort: { type: "sort", sort: { column: "name", isDescending: true } },
    copyTable: { type: "copyTable" },
    refresh: { type: "refresh" },
    select: { type: "select", id: "1" },
    open: { type: "open", id: "1" },
    act: { type: "act", action: "clearFilter", profileName: "Lab" },
    pageError: { type: "pageError", message: "oops" },
  });

  it("can request only actions that the table offers", () => {
    const act = { type: "act", action: "run", profileName: "Lab" };
    assert.equal(parseMessage<FromTable>(fromTable, act), undefined);
  });
});
