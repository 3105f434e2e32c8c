import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import { createMessage, createSnapshot } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";

const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const url = "https://pictures.example/a.png?secret=1";

describe("Images in a response", function () {
  const driver = testChatPage({ width: 600, height: 500 });

  async function show(text: string): Promise<void> {
    await driver.send({
      type: "snapshot",
      snapshot: createSnapshot({ messages: [createMessage({ id: "a", text })] }),
    });
    await driver.frames();
    await driver.takePosted();
  }

  const loadButton = () => driver.page.getByRole("button", { name: "Load Once from pictures.example" });

  it("show their description and host, and load nothing", async () => {
    await show(`![A cat](${url})`);
    await eventually(async () => {
      assert.equal(await driver.page.locator(".linked-image-name").textContent(), "A cat");
      assert.equal(await driver.page.locator(".linked-image-source").textContent(), "pictures.example");
    });
    assert.deepEqual(await driver.takePosted(), []);
  });

  it("are loaded once by the host after a click", async () => {
    await show(`![A cat](${url})`);
    await loadButton().click();
    await loadButton().click();
    assert.deepEqual(await driver.takePosted(), [{ type: "loadImage", url }]);
    await driver.send({ type: "image", url, image: { dataUrl: dot } });
    const image = driver.page.getByRole("img", { name: "A cat" });
    await eventually(async () => {
      assert.equal(await image.getAttribute("src"), dot);
      assert.ok(await image.evaluate((node) => node === document.activeElement));
    });
  });

  it("explain why they can't be loaded, and can be requested again", async () => {
    await show(`![A cat](${url})`);
    await loadButton().click();
    await driver.send({ type: "image", url, image: { error: "It is too large." } });
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("alert").textContent(), "It is too large."),
    );
    await driver.takePosted();
    await loadButton().click();
    assert.deepEqual(await driver.takePosted(), [{ type: "loadImage", url }]);
  });

  it("are only raster data, whatever the host sends", async () => {
    await show(`![A cat](${url})`);
    await loadButton().click();
    await driver.send({ type: "image", url, image: { dataUrl: "data:image/svg+xml;base64,AAAA" } });
    await eventually(async () => assert.equal(await driver.page.locator("article img").count(), 0));
  });

  it("are shown immediately if they are embedded in the text, unless they are documents", async () => {
    await show(`![Dot](${dot}) ![Vector](data:image/svg+xml;base64,AAAA) ![Page](data:text/html,a)`);
    await eventually(async () => {
      assert.equal(await driver.page.getByRole("img", { name: "Dot" }).getAttribute("src"), dot);
      assert.equal(await driver.page.locator("article img").count(), 1);
    });
  });

  it("in a link are placed before it, so that their button isn't part of the link", async () => {
    await show(`[![Badge](${url})](https://example.org/build)`);
    await loadButton().click();
    assert.deepEqual(await driver.takePosted(), [{ type: "loadImage", url }]);
    await eventually(async () =>
      assert.equal(await driver.page.getByRole("link", { name: "example.org" }).count(), 1),
    );
  });

  it("over plain HTTP have no button", async () => {
    await show("![A cat](http://pictures.example/a.png)");
    await driver.page.locator(".linked-image-name", { hasText: "A cat" }).waitFor();
    assert.equal(await driver.page.getByRole("button", { name: /Load/ }).count(), 0);
  });
});
