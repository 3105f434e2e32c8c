import assert from "node:assert/strict";
import { createSection, createServer, createServers } from "../../support/serverSections.ts";
import { eventually } from "../../support/eventually.ts";
import { testPage } from "../support/pageTests.ts";
import { TablePageDriver } from "../support/tablePageDriver.ts";

describe("The page of GPU servers", function () {
  const driver = new TablePageDriver();
  testPage(driver, () => Promise.resolve());

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await driver.page.keyboard.press(key);
  };
  const head = (name: string) => driver.page.getByRole("columnheader", { name });
  const focused = (): Promise<string> =>
    driver.page.evaluate(() => document.activeElement?.querySelector("th")?.textContent ?? "");

  it("is a table with 2,000 rows of which one can be reached with Tab", async () => {
    await driver.open([createSection(createServers(2_000))]);
    await eventually(async () => assert.equal(await driver.rows.count(), 2_000));
    assert.equal(await driver.table.locator("tbody tr[tabindex='0']").count(), 1);
    await driver.table.locator("thead button").last().focus();
    await press("Tab");
    await eventually(async () => assert.equal(await focused(), "trainer-0"));
    await press("Tab");
    assert.equal(await driver.table.locator("tbody tr:focus").count(), 0);
  });

  it("keeps the rows of servers that stay the same, and the focus, when others change", async () => {
    const servers = ["d", "b", "c", "a"].map((key) => createServer(key));
    await driver.open([createSection(servers)]);
    await driver.rows.nth(2).evaluate((row) => row.setAttribute("data-same", "yes"));
    await driver.rows.nth(2).focus();
    await driver.table
      .getByRole("button", { name: "Name" })
      .evaluate((button) => (button as HTMLElement).click());
    await driver.answer();
    await driver.update([createSection([createServer("aa"), ...servers])]);
    await eventually(async () => {
      assert.deepEqual(await driver.names(), ["name-d", "name-c", "name-b", "name-aa", "name-a"]);
      assert.equal(await focused(), "name-c");
      assert.equal(await driver.table.locator("[data-same]").getByRole("rowheader").textContent(), "name-c");
    });
  });

  it("can be used with the keyboard only", async () => {
    await driver.open([createSection(createServers(100))]);
    await driver.rows.first().focus();
    await press("ArrowDown", "ArrowDown", "ArrowUp");
    assert.equal(await focused(), (await driver.names())[1]);
    await press("End");
    assert.equal(await focused(), (await driver.names())[99]);
    await press("PageUp", "Home", "ArrowUp");
    assert.equal(await focused(), (await driver.names())[0]);
    await driver.answer();
    await press("ArrowDown", "Enter");
    assert.deepEqual(await driver.answer(), [
      { type: "select", id: '["Lab","srv-79"]' },
      { type: "open", id: '["Lab","srv-79"]' },
    ]);
    await driver.rows.nth(3).dblclick();
    assert.deepEqual((await driver.answer()).at(-1), { type: "open", id: '["Lab","srv-37"]' });
  });

  it("sorts with the button of a header, and announces the order", async () => {
    await driver.open([createSection([createServer("b"), createServer("c"), createServer("a")])]);
    await eventually(async () => {
      assert.deepEqual(await driver.names(), ["name-a", "name-b", "name-c"]);
      assert.equal(await head("Name").getAttribute("aria-sort"), "ascending");
      assert.equal(await head("Status").getAttribute("aria-sort"), "none");
    });
    await head("Name").getByRole("button").click();
    await driver.answer();
    await eventually(async () => {
      assert.deepEqual(await driver.names(), ["name-c", "name-b", "name-a"]);
      assert.equal(await head("Name").getAttribute("aria-sort"), "descending");
    });
    await press("Space");
    await driver.answer();
    await eventually(async () => assert.deepEqual(await driver.names(), ["name-a", "name-b", "name-c"]));
  });

  it("uses the filter language of the tree, with the keyboard only", async () => {
    await driver.open([createSection(createServers(60))]);
    await press("Control+f");
    await driver.page.keyboard.type("gpu:h100");
    await driver.answer();
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("status").filter({ hasText: "20 of 60 servers" }).count(), 1),
    );
    assert.equal(await driver.filter.inputValue(), "gpu:h100");
    await press("Escape");
    await eventually(async () => assert.equal(await driver.filter.inputValue(), ""));
    await driver.answer();
    await press("Enter");
    await eventually(async () => assert.equal(await focused(), (await driver.names())[0]));
  });

  it("opens the menu of a row with the pointer and with keys, with what it may offer", async () => {
    const server = createServer("a", { address: { value: "203.0.113.1", source: "ip" } });
    await driver.open([createSection([createServer("b"), server])]);
    // Like VS Code, which reads the attributes of the element and of those around it.
    await driver.page.evaluate(() => {
      window.addEventListener("contextmenu", ({ target }) => {
        const element = target instanceof Element ? target.closest("[data-vscode-context]") : null;
        document.title = element?.getAttribute("data-vscode-context") ?? "none";
      });
    });
    const offered = async (): Promise<unknown> => {
      const title = await driver.page.title();
      await driver.page.evaluate(() => (document.title = ""));
      return title === "" ? undefined : JSON.parse(title);
    };
    const expected = {
      ...{ webviewSection: "server", preventDefaultContextMenuItems: true, serverRow: '["Lab","a"]' },
      ...{ hasId: true, hasName: true, hasAddress: true, hasSsh: true, loose: true, unwatched: true },
      ...{ audible: true, isRunning: true, mayOpen: true },
    };
    await driver.rows.first().click({ button: "right" });
    await eventually(async () => assert.deepEqual(await offered(), expected));
    for (const key of ["Shift+F10", "ContextMenu"]) {
      await driver.rows.first().focus();
      await press(key);
      await eventually(async () => assert.deepEqual(await offered(), expected, key));
    }
  });

  it("is filtered and sorted as before after VS Code has discarded the page", async () => {
    await driver.open([createSection(createServers(60))]);
    await head("Name").getByRole("button").click();
    await driver.answer();
    await driver.filter.fill("gpu:h100");
    await driver.answer();
    await driver.page.getByText("20 of 60 servers").waitFor();
    const names = await driver.names();
    await driver.reopen();
    await eventually(async () => {
      assert.equal(await driver.filter.inputValue(), "gpu:h100");
      assert.deepEqual(await driver.names(), names);
      assert.equal(await head("Name").getAttribute("aria-sort"), "descending");
    });
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
    await eventually(async () => assert.ok(await driver.table.isHidden()));
    await driver.update([createSection(createServers(2))]);
    await eventually(async () => {
      assert.ok(await driver.table.isVisible());
      assert.deepEqual(await driver.names(), ["trainer-0", "trainer-1"]);
    });
  });

  it("draws what was measured, with gaps and a text for screen readers", async () => {
    await driver.open([createSection([createServer("a"), createServer("b")])], (_, { key }) =>
      key === "b"
        ? undefined
        : {
            use: { text: "71 %", order: 71 },
            history: {
              text: "0 % to 98 % in 24 h",
              order: 50,
              plot: { stepMs: 1_800_000, values: [0, undefined, 98, 50] },
            },
          },
    );
    const plot = driver.rows.first().getByRole("img", { name: "0 % to 98 % in 24 h" });
    await plot.waitFor();
    const values = driver.page.getByRole("table", { name: "Use over time: name-a" });
    assert.deepEqual(await values.getByRole("row").allTextContents(), [
      ...["1 h 30 min ago0%", "1 h agoNot measured", "30 min ago98%", "0 s ago50%"],
    ]);
    const path = (await plot.locator("path").getAttribute("d")) ?? "";
    assert.equal(path, "M0.0 18.0h0M64.0 0.4h0L96.0 9.0");
    assert.equal(await driver.rows.nth(1).getByRole("img").count(), 0);
  });

  it("shows a server's name as plain text, and loads nothing for it", async () => {
    const evil = '<img src="https://evil.example/x" onerror="window.pwned=1">\u202e[x](https://evil.example)';
    const fact = { value: evil, source: "x" };
    await driver.open([
      createSection([createServer("1", { name: fact, region: fact, gpu: fact })], {}, { profileName: evil }),
      createSection([], {}, { profileName: "Other" }),
    ]);
    await eventually(async () => assert.equal(await driver.rows.count(), 1));
    assert.equal(await driver.table.locator("img, a").count(), 0);
    assert.ok(!(await driver.names()).join().includes("\u202e"));
    assert.equal(await driver.page.evaluate(() => Reflect.get(window, "pwned") as unknown), undefined);
  });
});
