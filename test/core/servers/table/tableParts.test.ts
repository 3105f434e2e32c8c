import assert from "node:assert/strict";
import { parseMessage } from "../../../../src/core/kernel/pageMessages.ts";
import { fromTable } from "../../../../src/core/servers/table/tableProtocol.ts";
import type { FromTable } from "../../../../src/core/servers/table/tableProtocol.ts";
import { checkRules } from "../../../support/checkRules.ts";
import { csvText } from "../../../../src/core/kernel/csv.ts";
import {
  rowsInSight,
  rowsOfPage,
  scrollTopFor,
  moveInGrid,
} from "../../../../src/core/servers/table/gridCursor.ts";
import { sortRows } from "../../../../src/core/servers/sortRows.ts";
import { nextSort, parseTableView } from "../../../../src/core/servers/table/tableView.ts";

describe("The visible rows of a table", () => {
  const window = { scrollTop: 0, height: 260, rowHeight: 26, count: 10_000 };

  it("are as many with ten thousand servers as with a hundred", () => {
    const counts = [100, 10_000, 1_000_000].map((count) => {
      const { first, last } = rowsInSight({ ...window, count, scrollTop: 40 * 26 }, 6);
      return last - first;
    });
    assert.deepEqual(counts, [22, 22, 22]);
  });

  it("stay within the list, however far it is scrolled", () => {
    assert.deepEqual(rowsInSight(window, 6), { first: 0, last: 16 });
    assert.deepEqual(rowsInSight({ ...window, scrollTop: 1e9 }, 6), { first: 9_999, last: 10_000 });
    assert.deepEqual(rowsInSight({ ...window, scrollTop: -50 }, 6), { first: 0, last: 16 });
    assert.deepEqual(rowsInSight({ ...window, count: 0 }, 6), { first: 0, last: 0 });
    assert.deepEqual(rowsInSight({ ...window, height: -26 }, 0), { first: 0, last: 0 });
  });

  it("scroll only as far as needed to show a row completely", () => {
    assert.equal(scrollTopFor(5, window), 0);
    assert.equal(scrollTopFor(10, window), 26);
    assert.equal(scrollTopFor(3, { ...window, scrollTop: 260 }), 78);
    assert.equal(rowsOfPage(window), 9);
    assert.equal(rowsOfPage({ ...window, height: 5 }), 1);
  });
});

describe("Keys in a table", () => {
  const size = { rows: 100, columns: 5, page: 10 };
  const press = (row: number, column: number, key: string, isControl = false, isRightToLeft = false) => {
    const position = moveInGrid({ row, column }, { key, isControl, isRightToLeft }, size);
    return position === undefined ? undefined : [position.row, position.column];
  };

  it("move from cell to cell and stop at the edges", () => {
    assert.deepEqual(press(0, 0, "ArrowRight"), [0, 1]);
    assert.deepEqual(press(0, 4, "ArrowRight"), [0, 4]);
    assert.deepEqual(press(99, 2, "ArrowDown"), [99, 2]);
    assert.deepEqual(press(0, 2, "ArrowUp"), [-1, 2]);
    assert.deepEqual(press(-1, 2, "ArrowUp"), [-1, 2]);
    assert.deepEqual(press(-1, 2, "ArrowDown"), [0, 2]);
  });

  it("move by page, to the ends of a row and, with Ctrl, to the ends of the table", () => {
    assert.deepEqual(press(5, 2, "PageDown"), [15, 2]);
    assert.deepEqual(press(95, 2, "PageDown"), [99, 2]);
    assert.deepEqual(press(5, 2, "PageUp"), [0, 2]);
    assert.deepEqual(press(5, 2, "Home"), [5, 0]);
    assert.deepEqual(press(5, 2, "End"), [5, 4]);
    assert.deepEqual(press(5, 2, "Home", true), [0, 0]);
    assert.deepEqual(press(5, 2, "End", true), [99, 4]);
    assert.equal(press(5, 2, "x"), undefined);
  });

  it("are mirrored in right-to-left languages", () => {
    assert.deepEqual(press(0, 1, "ArrowLeft", false, true), [0, 2]);
    assert.deepEqual(press(0, 1, "ArrowRight", false, true), [0, 0]);
  });

  it("stay on the headers if there are no rows", () => {
    const empty = { rows: 0, columns: 2, page: 10 };
    const key = { key: "ArrowDown", isControl: false, isRightToLeft: false };
    assert.deepEqual(moveInGrid({ row: 0, column: 0 }, key, empty), { row: -1, column: 0 });
  });
});

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

  it("cycles through ascending, descending and the gateway's order", () => {
    const up = nextSort(undefined, "gpu");
    const down = nextSort(up, "gpu");
    assert.deepEqual([up?.isDescending, down?.isDescending], [false, true]);
    assert.equal(nextSort(down, "gpu"), undefined);
    assert.equal(nextSort(down, "name")?.column, "name");
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

describe("Stored views and page messages of a table", () => {
  it("are read as far as they are valid", () => {
    assert.deepEqual(parseTableView(undefined), { filter: "" });
    assert.deepEqual(parseTableView({ filter: 7, columns: ["name", 3, "nothing"], sort: { column: "x" } }), {
      filter: "",
      columns: ["name"],
    });
    const view = {
      filter: "gpu:h100",
      columns: ["name", "/price"],
      sort: { column: "/price", isDescending: true },
      selected: '["Lab","1"]',
    };
    assert.deepEqual(parseTableView(JSON.parse(JSON.stringify(view))), view);
  });
});

describe("A message from the page of the table", () => {
  checkRules<FromTable>(fromTable, {
    ready: { type: "ready" },
    filter: { type: "filter", text: "gpu:h100" },
    sort: { type: "sort", sort: { column: "name", isDescending: true } },
    chooseColumns: { type: "chooseColumns" },
    copyTable: { type: "copyTable" },
    refresh: { type: "refresh" },
    select: { type: "select", handle: 1 },
    scrolled: { type: "scrolled", handle: 1 },
    open: { type: "open", handle: 1 },
    menu: { type: "menu", handle: 1 },
    act: { type: "act", action: "clearFilter", profileName: "Lab" },
    pageError: { type: "pageError", message: "oops" },
  });

  it("can request only actions that the table offers", () => {
    const act = { type: "act", action: "run", profileName: "Lab" };
    assert.equal(parseMessage<FromTable>(fromTable, act), undefined);
  });
});
