import assert from "node:assert/strict";
import { createSection, createServer, createServers } from "../../support/serverSections.ts";
import { TablePageDriver } from "../support/tablePageDriver.ts";

describe("The page of the table of servers", function () {
  let driver: TablePageDriver;
  before(async () => {
    driver = await TablePageDriver.start();
  });
  after(() => driver.close());

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await driver.page.keyboard.press(key);
  };
  const openSorted = (count: number): Promise<void> =>
    driver.open([createSection(createServers(count))], {
      filter: "",
      sort: { column: "name", isDescending: false },
    });
  const head = (name: string) => driver.page.getByRole("columnheader", { name });

  it("has as few rows with ten thousand servers as with fifty, wherever one is", async () => {
    await openSorted(50);
    const few = await driver.rows.count();
    await openSorted(10_000);
    assert.equal(await driver.grid.getAttribute("aria-rowcount"), "10001");
    assert.equal(await driver.rows.count(), few);
    await driver.grid.evaluate((grid) => (grid.scrollTop = 130_000));
    const names = await driver.names();
    assert.ok(names.includes("trainer-5010"), names.join());
    assert.ok(names.length <= few + 6);
    assert.deepEqual(
      names,
      names.toSorted((first, second) => Number(first.slice(8)) - Number(second.slice(8))),
      "rows stand in the document as they stand on the screen",
    );
    const index = await driver.rows.first().getAttribute("aria-rowindex");
    assert.equal(names[0], `trainer-${Number(index) - 2}`);
  });

  it("keeps the rows that stay in sight as they are", async () => {
    await openSorted(1_000);
    await driver.rows.nth(10).evaluate((row) => row.setAttribute("data-same", "yes"));
    await driver.grid.evaluate((grid) => (grid.scrollTop = 52));
    await driver.frames();
    assert.equal(await driver.grid.locator("[data-same]").getByRole("rowheader").textContent(), "trainer-10");
  });

  it("is walked by keys alone, and says on which cell one stands", async () => {
    await openSorted(1_000);
    await driver.grid.focus();
    await press("ArrowDown", "ArrowDown");
    assert.equal(await driver.active(), "trainer-2");
    await press("Control+End");
    const last = await driver.active();
    await press("Home");
    assert.equal(await driver.active(), "trainer-999");
    assert.notEqual(last, "trainer-999");
    await press("Control+Home");
    assert.equal(await driver.active(), "trainer-0");
    await press("PageDown");
    const page = Number((await driver.active()).slice(8));
    assert.ok(page > 10 && page < 30, String(page));
    await press("PageUp", "ArrowRight");
    const active = await driver.active();
    assert.match(active, /Running|Stopped|Starting|Error|Stopping|unknown/);
    await press("ArrowUp");
    assert.equal(await driver.active(), "Status");
  });

  it("asks for details by Enter and by a double click", async () => {
    await openSorted(20);
    await driver.grid.focus();
    await press("ArrowDown", "Enter");
    const byKey = await driver.answer();
    const opened = byKey.find(({ type }) => type === "open");
    assert.deepEqual(byKey.filter(({ type }) => type === "select").length, 1);
    await driver.rows.nth(1).dblclick();
    assert.deepEqual(
      (await driver.answer()).find(({ type }) => type === "open"),
      opened,
    );
  });

  it("sorts by a click on a head and by Enter on it, and says how", async () => {
    await driver.open([createSection([createServer("b"), createServer("c"), createServer("a")])]);
    assert.deepEqual(await driver.names(), ["name-b", "name-c", "name-a"]);
    await head("Name").click();
    await driver.answer();
    assert.deepEqual(await driver.names(), ["name-a", "name-b", "name-c"]);
    assert.equal(await head("Name").getAttribute("aria-sort"), "ascending");
    assert.equal(await head("Status").getAttribute("aria-sort"), "none");
    await press("Enter");
    await driver.answer();
    assert.deepEqual(await driver.names(), ["name-c", "name-b", "name-a"]);
    assert.equal(await head("Name").getAttribute("aria-sort"), "descending");
    await press("Space");
    await driver.answer();
    assert.deepEqual(await driver.names(), ["name-b", "name-c", "name-a"]);
  });

  it("keeps the selected server over refreshes, sorting and filters", async () => {
    const servers = ["d", "b", "c", "a"].map((key) => createServer(key));
    await driver.open([createSection(servers)]);
    await driver.rows.nth(2).click();
    await driver.answer();
    const selected = driver.grid.locator('[aria-selected="true"]').getByRole("rowheader");
    await head("Name").click();
    await driver.answer();
    assert.equal(await selected.textContent(), "name-c");
    await driver.update([createSection([createServer("aa"), ...servers])]);
    assert.equal(await selected.textContent(), "name-c");
    await driver.filter.fill("name:b");
    await driver.answer();
    assert.equal(await selected.count(), 0);
    await driver.filter.fill("");
    await driver.answer();
    assert.equal(await selected.textContent(), "name-c");
    assert.deepEqual(await driver.page.evaluate(() => globalThis.keptByTable), {
      filter: "",
      sort: { column: "name", isDescending: false },
      selected: '["Lab","c"]',
    });
  });

  it("filters in the language of the tree, and completes it by keys", async () => {
    await driver.open([createSection(createServers(60))]);
    await press("Control+f");
    await driver.page.keyboard.type("gpu:h1");
    await driver.answer();
    assert.equal(await driver.page.getByRole("status").filter({ hasText: "20 of 60 servers" }).count(), 1);
    await driver.send({
      type: "completions",
      text: "gpu:h1",
      completions: [{ label: "gpu:h100", filter: "gpu:h100 ", count: 20 }],
    });
    await press("ArrowDown");
    assert.equal(await driver.filter.getAttribute("aria-activedescendant"), "completion-0");
    await press("Enter");
    assert.equal(await driver.filter.inputValue(), "gpu:h100 ");
    await driver.answer();
    await press("Escape");
    assert.equal(await driver.filter.inputValue(), "");
    await driver.answer();
    await press("Enter");
    assert.ok(await driver.grid.evaluate((grid) => grid === document.activeElement));
  });

  it("shows no completions of what is not written any more", async () => {
    await driver.open([createSection(createServers(3))]);
    await driver.filter.fill("gpu:x");
    const completions = [{ label: "gpu:h100", filter: "gpu:h100 ", count: 2 }];
    await driver.send({ type: "completions", text: "gpu:h", completions });
    assert.equal(await driver.page.getByRole("option").count(), 0);
  });

  it("asks what the menu may offer, and opens it where it was asked for", async () => {
    await driver.open([createSection(createServers(20))]);
    await driver.page.evaluate(() => {
      window.addEventListener("contextmenu", (event) => {
        const element =
          event.target instanceof Element ? event.target.closest("[data-vscode-context]") : null;
        document.title = `${element?.getAttribute("data-vscode-context")} ${event.clientY > 50}`;
      });
    });
    await driver.rows.nth(4).click({ button: "right" });
    const [menu] = (await driver.answer()).filter(({ type }) => type === "menu");
    assert.deepEqual(menu, { type: "menu", handle: 4 });
    await driver.send({ type: "menu", handle: 4, context: '{"serverRow":"x"}' });
    assert.equal(await driver.page.title(), '{"serverRow":"x"} true');
    for (const key of ["Shift+F10", "ContextMenu"]) {
      await driver.grid.focus();
      await press("ArrowDown");
      await driver.answer();
      await press(key);
      assert.equal((await driver.answer()).filter(({ type }) => type === "menu").length, 1, key);
    }
  });

  it("comes back where it was left when VS Code has thrown its page away", async () => {
    await openSorted(1_000);
    await driver.rows.nth(2).click();
    await driver.grid.evaluate((grid) => (grid.scrollTop = 26 * 500));
    await driver.page.waitForFunction(() =>
      globalThis.toldByTable.some((message) => JSON.stringify(message).includes('"scrolled"')),
    );
    await driver.answer();
    await driver.reopen();
    assert.ok((await driver.names()).includes("trainer-500"));
    assert.equal(await driver.grid.evaluate((grid) => grid.scrollTop), 26 * 500);
    await driver.grid.focus();
    await press("ArrowDown");
    assert.equal(await driver.active(), "trainer-3");
  });

  it("shows rows that are old as such, in words, and what fixes it", async () => {
    const servers = createServers(3);
    await driver.open([createSection(servers)]);
    const error = { reason: "stsToken", message: "The token has expired." } as const;
    const listedAt = Date.now() - 600_000;
    await driver.update([createSection(servers, { error, listedAt, failures: 1 })]);
    assert.match((await driver.rows.first().textContent()) ?? "", /Running · as of \d\d:\d\d/);
    await driver.page.getByText("Could not refresh 10 minutes old").waitFor();
    await driver.page.getByRole("button", { name: "Set STS Token" }).click();
    assert.deepEqual(
      (await driver.answer()).filter(({ type }) => type === "act"),
      [{ type: "act", action: "setStsToken", profileName: "Lab" }],
    );
    await driver.update([createSection(servers)]);
    assert.doesNotMatch((await driver.rows.first().textContent()) ?? "", /as of/);
    assert.equal(await driver.page.getByRole("button", { name: "Set STS Token" }).count(), 0);
  });

  it("says if there is nothing to list what is missing", async () => {
    const error = {
      reason: "missingCredential",
      credential: "accessKey",
      message: "There is none.",
    } as const;
    await driver.open([createSection([], { state: "signedOut", error })]);
    await driver.page.getByRole("button", { name: "Set Access Key" }).waitFor();
    assert.ok(await driver.grid.isHidden());
    await driver.update([createSection(createServers(2))]);
    assert.ok(await driver.grid.isVisible());
    assert.deepEqual(await driver.names(), ["trainer-0", "trainer-1"]);
  });

  it("lets no name of a server be more than a text, and loads nothing for it", async () => {
    const evil = '<img src="https://evil.example/x" onerror="window.pwned=1">\u202e[x](https://evil.example)';
    const fact = { value: evil, source: "x" };
    await driver.open([
      createSection([createServer("1", { name: fact, region: fact, gpu: fact })], {}, { profileName: evil }),
      createSection([], {}, { profileName: "Other" }),
    ]);
    assert.equal(await driver.grid.locator("img, a").count(), 0);
    assert.ok(!(await driver.page.content()).includes("\u202e"));
    assert.equal(await driver.page.evaluate(() => Reflect.get(window, "pwned") as unknown), undefined);
    assert.deepEqual(driver.foreignRequests, []);
  });

  it("copies the cell on which one stands", async () => {
    await driver.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await driver.open([createSection([createServer("a", { region: { value: "eu-north-1", source: "x" } })])]);
    await driver.grid.focus();
    await press("ArrowRight", "ArrowRight", "Control+c");
    assert.equal(await driver.page.evaluate(() => navigator.clipboard.readText()), "eu-north-1");
  });
});
