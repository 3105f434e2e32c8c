import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../support/eventually.ts";
import { emptyProfileForm } from "../../../src/core/account/profileForm.ts";
import type { FromProfilePage, ToProfilePage } from "../../../src/core/account/profileFormProtocol.ts";
import { fromProfilePage } from "../../../src/core/account/profileFormProtocol.ts";
import { parseMessage } from "../../../src/core/kernel/pageMessages.ts";
import { findViolations } from "../support/axe.ts";
import { PageDriver } from "../support/pageDriver.ts";
import { testPage } from "../support/pageTests.ts";
import { themes } from "../support/themes.ts";

declare global {
  var postedByForm: unknown[];
  var keptByForm: unknown;
}

const filled = {
  ...emptyProfileForm,
  name: "Lab",
  inferenceBaseUrl: "https://i.example/v1",
  gatewayUrl: "https://g.example",
  consoleUrl: "https://console.example",
};

class ProfilePageDriver extends PageDriver {
  async send(...messages: readonly ToProfilePage[]): Promise<void> {
    await this.post(messages);
  }

  /** Loads the page, which then waits for its form. */
  async reload(): Promise<void> {
    await this.load("/profile");
  }

  async open(form: Partial<Extract<ToProfilePage, { type: "form" }>> = {}): Promise<void> {
    await this.reload();
    await this.page.waitForFunction(() => globalThis.postedByForm.length > 0);
    await this.send({ type: "form", form: filled, takenNames: ["Taken"], ...form });
    await this.posted();
  }

  /** The messages since the last call, as the host parses them. */
  async posted(): Promise<readonly FromProfilePage[]> {
    const messages = await this.page.evaluate(() => globalThis.postedByForm.splice(0));
    return messages.flatMap((message) => parseMessage<FromProfilePage>(fromProfilePage, message) ?? []);
  }

  protected override async replaceHost(page: Page): Promise<void> {
    await page.addInitScript(() => {
      globalThis.postedByForm = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => void globalThis.postedByForm.push(message),
        getState: () => undefined,
        setState: (state: unknown) => void (globalThis.keptByForm = state),
      });
    });
  }
}

describe("The page with the form for a profile", () => {
  const driver = new ProfilePageDriver({ width: 800, height: 1_400 }, "en");
  testPage(driver, () => driver.open());

  const field = (label: string) => driver.page.getByLabel(label, { exact: true });
  const borderOf = (label: string) =>
    field(label).evaluate((input) => getComputedStyle(input).borderBlockEndColor);
  const save = () => driver.page.getByRole("button", { name: "Check and Save" });

  it("sends each secret once, and keeps it neither in its fields nor in its state", async () => {
    await field("API key").fill("CANARY-1");
    await field("Access key").fill("CANARY-2");
    await field("API secret").fill("CANARY-3");
    await field("API secret").press("Enter");
    const [message, ...others] = await driver.posted();
    assert.ok(message?.type === "save");
    assert.deepEqual(message.secrets, {
      "apiKey.apiKey": "CANARY-1",
      "accessKey.accessKey": "CANARY-2",
      "accessKey.apiSecret": "CANARY-3",
    });
    assert.deepEqual(others, []);
    const left = await driver.page.evaluate(() => [
      JSON.stringify(globalThis.keptByForm),
      [...document.querySelectorAll("input")].map(({ value }) => value).join(),
    ]);
    assert.doesNotMatch(left.join(), /CANARY/);
  });

  it("shows that it is checking, and can be stopped with the same button", async () => {
    await save().click();
    await driver.posted();
    await driver.send({ type: "check", subject: "inference", state: "running", sentence: "Checking: DNS…" });
    const stop = driver.page.getByRole("button", { name: "Stop", exact: true });
    await eventually(async () => {
      assert.ok(await stop.evaluate((button) => button === document.activeElement));
      assert.ok(await field("Name").isDisabled());
    });
    await stop.click();
    assert.deepEqual(await driver.posted(), [{ type: "stop" }]);
    await driver.send({ type: "busy", isBusy: false, sentence: "" });
    await driver.page.getByText("The check was stopped.").waitFor();
    await eventually(async () => assert.ok(await field("Name").isEnabled()));
  });

  it("sends nothing while something is wrong, and focuses the first field with a problem", async () => {
    await field("Name").fill("Taken");
    await field("GPU gateway URL").fill("nonsense");
    await field("API key").fill("CANARY-1");
    await driver.posted();
    await save().click();
    assert.deepEqual(await driver.posted(), []);
    await eventually(async () => {
      assert.equal(await field("API key").inputValue(), "CANARY-1");
      assert.ok(await field("Name").evaluate((input) => input === document.activeElement));
      assert.equal(await field("Name").getAttribute("aria-invalid"), "true");
    });
    const [wrong, valid] = await Promise.all([borderOf("Name"), borderOf("Console URL")]);
    assert.notEqual(wrong, valid, "The border of an invalid field must differ.");
    const described = (await field("Name").getAttribute("aria-describedby")) ?? "";
    const texts = await Promise.all(
      described.split(" ").map((id) => driver.page.locator(`#${id}`).textContent()),
    );
    assert.match(texts.join(" "), /A profile with this name already exists\./);
  });

  it("keeps what was typed before the profile arrived, and fills in the rest", async () => {
    await driver.reload();
    await field("Name").fill("Typed early");
    await field("Inference base URL").fill("https://early.example/v1");
    await driver.page.waitForFunction(() => globalThis.postedByForm.length > 0);
    await driver.send({ type: "form", form: { ...filled, name: "" }, takenNames: [] });
    await eventually(async () =>
      assert.equal(await field("GPU gateway URL").inputValue(), filled.gatewayUrl),
    );
    assert.equal(await field("Name").inputValue(), "Typed early");
    assert.ok(await field("Inference base URL").evaluate((input) => input === document.activeElement));
    await save().click();
    const [message] = (await driver.posted()).filter(({ type }) => type === "save");
    assert.ok(message?.type === "save");
    assert.deepEqual(message.form, {
      ...filled,
      name: "Typed early",
      inferenceBaseUrl: "https://early.example/v1",
    });
  });

  it("opens the part that contains a problem, and shows the server's verdict as inert text", async () => {
    await driver.send({ type: "problems", problems: { consoleUrl: "<img src=x onerror=alert(1)>" } });
    await eventually(async () => {
      assert.ok(await field("Console URL").isVisible());
      assert.ok(await field("Console URL").evaluate((input) => input === document.activeElement));
      assert.equal(await driver.page.locator("img").count(), 0);
    });
  });

  it("asks only for the credential that the gateway uses, and for none that a source supplies", async () => {
    await field("Credential").selectOption("stsToken");
    await eventually(async () => {
      assert.equal(await field("Access key").isVisible(), false);
      assert.ok(await field("Expires").isVisible());
    });
    const sentence = "Supplied by a command.";
    await driver.send({ type: "credentials", known: { apiKey: { sentence, isSupplied: true } } });
    await eventually(async () => assert.ok(await field("API key").isDisabled()));
    await driver.page.getByText(sentence).waitFor();
  });

  it("asks for a key as soon as there is an address, so that Tab goes to it", async () => {
    await driver.open({ form: { ...filled, inferenceBaseUrl: "", consoleUrl: "" } });
    await field("Inference base URL").focus();
    await driver.page.keyboard.type("https://i.example/v1");
    await driver.page.keyboard.press("Tab");
    await eventually(async () =>
      assert.ok(await field("API key").evaluate((input) => input === document.activeElement)),
    );
  });

  it("checks an address when it has been entered, unless it can't be used", async () => {
    await field("Inference base URL").fill("https://other.example/v1");
    await field("GPU gateway URL").fill("https://user:secret@g.example");
    await field("Name").focus();
    const roles = (await driver.posted()).map((message) =>
      message.type === "checkAddress" ? message.role : message.type,
    );
    assert.deepEqual(roles, ["inference"]);
    await driver.page.getByText("The URL contains a user name or password.").waitFor();
  });

  describe("after a pair was refused", () => {
    const refused = { type: "problems", problems: { "accessKey.accessKey": "Wrong API secret." } } as const;
    const save = async (accessKey: string, secret: string): Promise<void> => {
      await field("Access key").fill(accessKey);
      await field("API secret").fill(secret);
      await driver.page.getByRole("button", { name: "Check and Save" }).click();
      await eventually(async () => assert.equal(await field("Access key").inputValue(), ""));
      await driver.posted();
    };

    it("shows its access key again, so that only the secret has to be entered", async () => {
      await driver.open();
      await save("AK-1", "wrong-secret-1");
      await driver.send(refused);
      await eventually(async () => assert.equal(await field("Access key").inputValue(), "AK-1"));
      assert.equal(await field("API secret").inputValue(), "");
      await driver.page.keyboard.type("right-secret-2");
      await driver.page.getByRole("button", { name: "Check and Save" }).click();
      const saved = (await driver.posted()).find(({ type }) => type === "save");
      assert.deepEqual(saved?.type === "save" && saved.secrets, {
        "accessKey.accessKey": "AK-1",
        "accessKey.apiSecret": "right-secret-2",
      });
    });

    it("keeps another access key that was entered, which needs a secret of its own", async () => {
      await driver.open();
      await save("AK-1", "wrong-secret-1");
      await driver.send(refused);
      await eventually(async () => assert.equal(await field("Access key").inputValue(), "AK-1"));
      await field("Access key").fill("AK-2");
      await driver.page.getByRole("button", { name: "Check and Save" }).click();
      assert.deepEqual(
        (await driver.posted()).filter(({ type }) => type === "save"),
        [],
      );
      await driver.send(refused);
      assert.equal(await field("Access key").inputValue(), "AK-2");
    });

    it("shows nothing of it if another field was refused", async () => {
      await driver.open();
      await save("AK-1", "wrong-secret-1");
      await driver.send({ type: "problems", problems: { name: "A profile with this name already exists." } });
      await driver.page.getByText("already exists").waitFor();
      assert.equal(await field("Access key").inputValue(), "");
    });
  });

  for (const theme of themes) {
    it(`is accessible in the ${theme.name} theme`, async () => {
      await driver.page.setViewportSize({ width: 800, height: 2_000 });
      await driver.open({ origin: "These values come from a link." });
      await driver.setTheme(theme);
      for (const details of await driver.page.locator("summary").all()) await details.click();
      await driver.send(
        {
          type: "check",
          subject: "inference",
          state: "passed",
          sentence: "Reachable; requires authentication (401).",
        },
        { type: "check", subject: "gateway", state: "failed", sentence: "The name couldn't be resolved." },
        { type: "problems", problems: { "apiKey.apiKey": "Invalid API key. Nothing was saved." } },
      );
      assert.deepEqual(await findViolations(driver.page, theme === themes[0] ? "all" : "colors"), []);
    });
  }

  for (const [name, width, zoom, direction] of [
    ["a narrow editor", 260, 1, "ltr"],
    ["200 % zoom", 700, 2, "ltr"],
    ["a right-to-left language", 700, 1, "rtl"],
  ] as const) {
    it(`fits into ${name}`, async () => {
      await driver.page.setViewportSize({ width, height: 900 });
      await driver.open({ origin: "These values come from a link." });
      await driver.page.evaluate(
        ([factor, dir]) => {
          document.documentElement.dir = dir;
          document.documentElement.style.setProperty("--vscode-font-size", `${13 * factor}px`);
        },
        [zoom, direction] as const,
      );
      for (const details of await driver.page.locator("summary").all()) await details.click();
      const overflow = await driver.page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      assert.ok(overflow <= 0, `${overflow} px`);
    });
  }
});
