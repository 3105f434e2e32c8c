import assert from "node:assert/strict";
import { createSection, createServer, createServers } from "../../support/serverSections.ts";
import { eventually } from "../../support/eventually.ts";
import { testPage } from "../support/pageTests.ts";
import { TablePageDriver } from "../support/tablePageDriver.ts";

describe("The server table page", function () {
  const driver = new TablePageDriver();
  testPage(driver, () => Promise.resolve());

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await driver.page.keyboard.press(key);
  };
  const openSorted = (count: number): Promise<void> =>
    driver.open([createSection(createServers(count))], {
      filter: "",
      sort: { column: "name", isDescending: false },
    });
  const head = (name: string) => driver.page.getByRole("columnheader", { name });

  it("has as few rows with ten thousand servers as with fifty, at any scroll position", async () => {
    await openSorted(50);
    const few = await driver.rows.count();
    await openSorted(10_000);
    await eventually(async () => {
      assert.equal(await driver.grid.getAttribute("aria-rowcount"), "10001");
      assert.equal(await driver.rows.count(), few);
    });
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

  it("keeps the elements of rows that stay visible", async () => {
    await openSorted(1_000);
    await driver.rows.nth(10).evaluate((row) => row.setAttribute("data-same", "yes"));
    await driver.grid.evaluate((grid) => (grid.scrollTop = 52));
    await driver.frames();
    await eventually(async () =>
      assert.equal(
        await driver.grid.locator("[data-same]").getByRole("rowheader").textContent(),
        "trainer-10",
      ),
    );
  });

  it("can be navigated with the keyboard only, and announces the focused cell", async () => {
    await openSorted(1_000);
    await driver.grid.focus();
    await press("ArrowDown", "ArrowDown");
    await eventually(async () => assert.equal(await driver.active(), "trainer-2"));
    await press("Control+End");
    const last = await driver.active();
    await press("Home");
    await eventually(async () => assert.equal(await driver.active(), "trainer-999"));
    assert.notEqual(last, "trainer-999");
    await press("Control+Home");
    await eventually(async () => assert.equal(await driver.active(), "trainer-0"));
    await press("PageDown");
    const page = Number((await driver.active()).slice(8));
    assert.ok(page > 10 && page < 30, String(page));
    await press("PageUp", "ArrowRight");
    const active = await driver.active();
    assert.match(active, /Running|Stopped|Starting|Error|Stopping|unknown/);
    await press("ArrowUp");
    await eventually(async () => assert.equal(await driver.active(), "Status"));
  });

  it("requests details with Enter and with a double-click", async () => {
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

  it("sorts with a click on a header or Enter on it, and announces the order", async () => {
    await driver.open([createSection([createServer("b"), createServer("c"), createServer("a")])]);
    await eventually(async () => assert.deepEqual(await driver.names(), ["name-b", "name-c", "name-a"]));
    await head("Name").click();
    await driver.answer();
    await eventually(async () => {
      assert.deepEqual(await driver.names(), ["name-a", "name-b", "name-c"]);
      assert.equal(await head("Name").getAttribute("aria-sort"), "ascending");
      assert.equal(await head("Status").getAttribute("aria-sort"), "none");
    });
    await press("Enter");
    await driver.answer();
    await eventually(async () => {
      assert.deepEqual(await driver.names(), ["name-c", "name-b", "name-a"]);
      assert.equal(await head("Name").getAttribute("aria-sort"), "descending");
    });
    await press("Space");
    await driver.answer();
    await eventually(async () => assert.deepEqual(await driver.names(), ["name-b", "name-c", "name-a"]));
  });

  it("keeps the selected server after refreshing, sorting and filtering", async () => {
    const servers = ["d", "b", "c", "a"].map((key) => createServer(key));
    await driver.open([createSection(servers)]);
    await driver.rows.nth(2).click();
    await driver.answer();
    const selected = driver.grid.locator('[aria-selected="true"]').getByRole("rowheader");
    await head("Name").click();
    await driver.answer();
    await eventually(async () => assert.equal(await selected.textContent(), "name-c"));
    await driver.update([createSection([createServer("aa"), ...servers])]);
    await eventually(async () => assert.equal(await selected.textContent(), "name-c"));
    await driver.filter.fill("name:b");
    await driver.answer();
    await eventually(async () => assert.equal(await selected.count(), 0));
    await driver.filter.fill("");
    await driver.answer();
    await eventually(async () => assert.equal(await selected.textContent(), "name-c"));
    assert.deepEqual(await driver.page.evaluate(() => globalThis.keptByTable), {
      filter: "",
      sort: { column: "name", isDescending: false },
      selected: '["Lab","c"]',
    });
  });

  it("uses the filter language of the tree, with completions from the keyboard", async () => {
    await driver.open([createSection(createServers(60))]);
    await press("Control+f");
    await driver.page.keyboard.type("gpu:h1");
    await driver.answer();
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("status").filter({ hasText: "20 of 60 servers" }).count(), 1),
    );
    await driver.send({
      type: "completions",
      text: "gpu:h1",
      completions: [{ label: "gpu:h100", filter: "gpu:h100 ", count: 20 }],
    });
    await press("ArrowDown");
    await eventually(async () =>
      assert.equal(await driver.filter.getAttribute("aria-activedescendant"), "completion-0"),
    );
    await press("Enter");
    await eventually(async () => assert.equal(await driver.filter.inputValue(), "gpu:h100 "));
    await driver.answer();
    await press("Escape");
    await eventually(async () => assert.equal(await driver.filter.inputValue(), ""));
    await driver.answer();
    await press("Enter");
    await eventually(async () =>
      assert.ok(await driver.grid.evaluate((grid) => grid === document.activeElement)),
    );
  });

  it("shows no completions for text that has changed since", async () => {
    await driver.open([createSection(createServers(3))]);
    await driver.filter.fill("gpu:x");
    const completions = [{ label: "gpu:h100", filter: "gpu:h100 ", count: 2 }];
    await driver.send({ type: "completions", text: "gpu:h", completions });
    await eventually(async () => assert.equal(await driver.page.getByRole("option").count(), 0));
  });

  it("requests what the menu may offer, and opens it at the requested position", async () => {
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
    await eventually(async () => assert.equal(await driver.page.title(), '{"serverRow":"x"} true'));
    for (const key of ["Shift+F10", "ContextMenu"]) {
      await driver.grid.focus();
      await press("ArrowDown");
      await driver.answer();
      await press(key);
      assert.equal((await driver.answer()).filter(({ type }) => type === "menu").length, 1, key);
    }
  });

  it("is restored to its previous position after VS Code has discarded the page", async () => {
    await openSorted(1_000);
    await driver.rows.nth(2).click();
    await driver.grid.evaluate((grid) => (grid.scrollTop = 26 * 500));
    await driver.page.waitForFunction(() =>
      globalThis.toldByTable.some((message) => JSON.stringify(message).includes('"scrolled"')),
    );
    await driver.answer();
    await driver.reopen();
    await eventually(async () => {
      assert.ok((await driver.names()).includes("trainer-500"));
      assert.equal(await driver.grid.evaluate((grid) => grid.scrollTop), 26 * 500);
    });
    await driver.grid.focus();
    await press("ArrowDown");
    await eventually(async () => assert.equal(await driver.active(), "trainer-3"));
  });

  it("labels outdated rows as such, with a fix", async () => {
    const servers = createServers(3);
    await driver.open([createSection(servers)]);
    const error = { reason: "stsToken", message: "The token has expired." } as const;
    const listedAt = Date.now() - 600_000;
    await driver.update([createSection(servers, { error, listedAt, failures: 1 })]);
    await eventually(async () =>
      assert.match((await driver.rows.first().textContent()) ?? "", /Running · as of \d\d:\d\d/),
    );
    await driver.page.getByText("Couldn't refresh 10 minutes old").waitFor();
    await driver.page.getByRole("button", { name: "Set STS Token" }).click();
    assert.deepEqual(
      (await driver.answer()).filter(({ type }) => type === "act"),
      [{ type: "act", action: "setStsToken", profileName: "Lab" }],
    );
    await driver.update([createSection(servers)]);
    await eventually(async () => {
      assert.doesNotMatch((await driver.rows.first().textContent()) ?? "", /as of/);
      assert.equal(await driver.page.getByRole("button", { name: "Set STS Token" }).count(), 0);
    });
  });

  it("explains what is missing if there is nothing to list", async () => {
    const error = {
      reason: "missingCredential",
      credential: "accessKey",
      message: "There is none.",
    } as const;
    await driver.open([createSection([], { state: "signedOut", error })]);
    await driver.page.getByRole("button", { name: "Set Access Key" }).waitFor();
    await eventually(async () => assert.ok(await driver.grid.isHidden()));
    await driver.update([createSection(createServers(2))]);
    await eventually(async () => {
      assert.ok(await driver.grid.isVisible());
      assert.deepEqual(await driver.names(), ["trainer-0", "trainer-1"]);
    });
  });

  it("shows a server's name as plain text, and loads nothing for it", async () => {
    const evil = '<img src="https://evil.example/x" onerror="window.pwned=1">\u202e[x](https://evil.example)';
    const fact = { value: evil, source: "x" };
    await driver.open([
      createSection([createServer("1", { name: fact, region: fact, gpu: fact })], {}, { profileName: evil }),
      createSection([], {}, { profileName: "Other" }),
    ]);
    await eventually(async () => assert.equal(await driver.grid.locator("img, a").count(), 0));
    assert.ok(!(await driver.page.content()).includes("\u202e"));
    assert.equal(await driver.page.evaluate(() => Reflect.get(window, "pwned") as unknown), undefined);
  });

  it("copies the focused cell", async () => {
    await driver.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await driver.open([createSection([createServer("a", { region: { value: "eu-north-1", source: "x" } })])]);
    await driver.grid.focus();
    await press("ArrowRight", "ArrowRight", "Control+c");
    await eventually(async () =>
      assert.equal(await driver.page.evaluate(() => navigator.clipboard.readText()), "eu-north-1"),
    );
  });
});
