import assert from "node:assert/strict";
import { eventually } from "../../support/eventually.ts";
import type { Page } from "playwright-core";
import { emptyProfileForm } from "../../../src/core/account/profileForm.ts";
import type { FromProfilePage, ToProfilePage } from "../../../src/core/account/profileFormProtocol.ts";
import { parseFromProfilePage } from "../../../src/core/account/profileFormProtocol.ts";
import { findViolations } from "../support/axe.ts";
import { openOwnPage } from "../support/browser.ts";
import type { OwnPage } from "../support/browser.ts";
import { startPageServer } from "../support/pageServer.ts";
import type { PageServer } from "../support/pageServer.ts";
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

describe("The page with the form for a profile", () => {
  let server: PageServer;
  let own: OwnPage;
  let page: Page;

  before(async () => {
    server = await startPageServer();
    own = await openOwnPage({ width: 800, height: 1_400 });
    page = own.page;
    await page.addInitScript(() => {
      globalThis.postedByForm = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => void globalThis.postedByForm.push(message),
        setState: (state: unknown) => void (globalThis.keptByForm = state),
      });
    });
  });

  after(async () => {
    await own.close();
    await server.close();
  });

  async function send(...messages: readonly ToProfilePage[]): Promise<void> {
    await page.evaluate((json) => {
      const list: readonly unknown[] = JSON.parse(json);
      for (const data of list) window.dispatchEvent(new MessageEvent("message", { data }));
    }, JSON.stringify(messages));
  }

  async function open(form: Partial<Extract<ToProfilePage, { type: "form" }>> = {}): Promise<void> {
    await page.goto(`${server.origin}/profile`);
    await page.waitForFunction(() => globalThis.postedByForm.length > 0);
    await send({ type: "form", form: filled, takenNames: ["Taken"], ...form });
    await posted();
  }

  /** The messages since the last call, as the host parses them. */
  async function posted(): Promise<readonly FromProfilePage[]> {
    const messages = await page.evaluate(() => globalThis.postedByForm.splice(0));
    return messages.flatMap((message) => parseFromProfilePage(message) ?? []);
  }

  const field = (label: string) => page.getByLabel(label, { exact: true });
  const borderOf = (label: string) =>
    field(label).evaluate((input) => getComputedStyle(input).borderBlockEndColor);
  const save = () => page.getByRole("button", { name: "Check and Save" });

  it("sends each secret once, and keeps it neither in its fields nor in its state", async () => {
    await open();
    await field("API key").fill("CANARY-1");
    await field("Access key").fill("CANARY-2");
    await field("API secret").fill("CANARY-3");
    await field("API secret").press("Enter");
    const [message, ...others] = await posted();
    assert.ok(message?.type === "save");
    assert.deepEqual(message.secrets, {
      "apiKey.apiKey": "CANARY-1",
      "accessKey.accessKey": "CANARY-2",
      "accessKey.apiSecret": "CANARY-3",
    });
    assert.deepEqual(others, []);
    const left = await page.evaluate(() => [
      JSON.stringify(globalThis.keptByForm),
      [...document.querySelectorAll("input")].map(({ value }) => value).join(),
    ]);
    assert.doesNotMatch(left.join(), /CANARY/);
  });

  it("shows that it is checking, and can be stopped with the same button", async () => {
    await send({ type: "check", subject: "inference", state: "running", sentence: "Checking: DNS…" });
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await eventually(async () => {
      assert.ok(await stop.evaluate((button) => button === document.activeElement));
      assert.ok(await field("Name").isDisabled());
    });
    await stop.click();
    assert.deepEqual(await posted(), [{ type: "stop" }]);
    await send({ type: "busy", isBusy: false, sentence: "" });
    await page.getByText("The check was stopped.").waitFor();
    await eventually(async () => assert.ok(await field("Name").isEnabled()));
  });

  it("sends nothing while something is wrong, and focuses the first field with a problem", async () => {
    await open();
    await field("Name").fill("Taken");
    await field("GPU gateway URL").fill("nonsense");
    await field("API key").fill("CANARY-1");
    await posted();
    await save().click();
    assert.deepEqual(await posted(), []);
    await eventually(async () => {
      assert.equal(await field("API key").inputValue(), "CANARY-1");
      assert.ok(await field("Name").evaluate((input) => input === document.activeElement));
      assert.equal(await field("Name").getAttribute("aria-invalid"), "true");
    });
    const [wrong, valid] = await Promise.all([borderOf("Name"), borderOf("Console URL")]);
    assert.notEqual(wrong, valid, "The border of an invalid field must differ.");
    const described = (await field("Name").getAttribute("aria-describedby")) ?? "";
    const texts = await Promise.all(described.split(" ").map((id) => page.locator(`#${id}`).textContent()));
    assert.match(texts.join(" "), /A profile with this name already exists\./);
  });

  it("keeps what was typed before the profile arrived, and fills in the rest", async () => {
    await page.goto(`${server.origin}/profile`);
    await field("Name").fill("Typed early");
    await field("Inference base URL").fill("https://early.example/v1");
    await page.waitForFunction(() => globalThis.postedByForm.length > 0);
    await send({ type: "form", form: { ...filled, name: "" }, takenNames: [] });
    await eventually(async () =>
      assert.equal(await field("GPU gateway URL").inputValue(), filled.gatewayUrl),
    );
    assert.equal(await field("Name").inputValue(), "Typed early");
    assert.ok(await field("Inference base URL").evaluate((input) => input === document.activeElement));
    await save().click();
    const [message] = (await posted()).filter(({ type }) => type === "save");
    assert.ok(message?.type === "save");
    assert.deepEqual(message.form, {
      ...filled,
      name: "Typed early",
      inferenceBaseUrl: "https://early.example/v1",
    });
  });

  it("follows changes in the settings, and keeps what was entered with a warning", async () => {
    await open({ editedName: "Lab" });
    await field("GPU gateway URL").fill("https://mine.example");
    const stored = { ...filled, gatewayUrl: "https://theirs.example", consoleUrl: "https://new.example" };
    await send({ type: "stored", form: stored });
    await page.getByText("Changed to “https://theirs.example” in the settings.").waitFor();
    await page.getByText("Updated because the profile was changed in the settings.").waitFor();
    assert.equal(await field("GPU gateway URL").inputValue(), "https://mine.example");
    assert.equal(await field("Console URL").inputValue(), "https://new.example");
    await send({ type: "stored", form: undefined });
    const removed = page.getByText("The profile was removed from the settings.");
    await removed.waitFor();
    await send({ type: "stored", form: { ...stored, gatewayUrl: "", gatewayCredential: "stsToken" } });
    await page.getByText("Removed from the settings. Saving adds it again.", { exact: true }).waitFor();
    await removed.waitFor({ state: "hidden" });
  });

  it("opens the part that contains a problem, and shows the server's verdict as inert text", async () => {
    await open();
    await send({ type: "problems", problems: { consoleUrl: "<img src=x onerror=alert(1)>" } });
    await eventually(async () => {
      assert.ok(await field("Console URL").isVisible());
      assert.ok(await field("Console URL").evaluate((input) => input === document.activeElement));
      assert.equal(await page.locator("img").count(), 0);
    });
  });

  it("asks only for the credential that the gateway uses, and for none that a source supplies", async () => {
    await open();
    await field("Credential").selectOption("stsToken");
    await eventually(async () => {
      assert.equal(await field("Access key").isVisible(), false);
      assert.ok(await field("Expires").isVisible());
    });
    const sentence = "Supplied by a command.";
    await send({ type: "credentials", known: { apiKey: { sentence, isSupplied: true } } });
    await eventually(async () => assert.ok(await field("API key").isDisabled()));
    await page.getByText(sentence).waitFor();
  });

  it("asks for a key as soon as there is an address, so that Tab goes to it", async () => {
    await open({ form: { ...filled, inferenceBaseUrl: "", consoleUrl: "" } });
    await field("Inference base URL").focus();
    await page.keyboard.type("https://i.example/v1");
    await page.keyboard.press("Tab");
    await eventually(async () =>
      assert.ok(await field("API key").evaluate((input) => input === document.activeElement)),
    );
  });

  it("checks an address when it has been entered, unless it can't be used", async () => {
    await open();
    await field("Inference base URL").fill("https://other.example/v1");
    await field("GPU gateway URL").fill("https://user:secret@g.example");
    await field("Name").focus();
    const roles = (await posted()).map((message) =>
      message.type === "checkAddress" ? message.role : message.type,
    );
    assert.deepEqual(roles, ["inference"]);
    await page.getByText("The URL contains a user name or password.").waitFor();
  });

  for (const theme of themes) {
    it(`is accessible in the ${theme.name} theme`, async () => {
      await page.setViewportSize({ width: 800, height: 2_000 });
      await open({ origin: "These values come from a link." });
      await page.evaluate(
        ([name, values]) => {
          document.body.className = name;
          for (const [key, value] of Object.entries(values))
            document.documentElement.style.setProperty(`--vscode-${key}`, value);
        },
        [theme.bodyClass, theme.variables] as const,
      );
      for (const details of await page.locator("summary").all()) await details.click();
      await send(
        {
          type: "check",
          subject: "inference",
          state: "passed",
          sentence: "Reachable; requires authentication (401).",
        },
        { type: "check", subject: "gateway", state: "failed", sentence: "The name couldn't be resolved." },
        { type: "problems", problems: { "apiKey.apiKey": "Invalid API key. Nothing was saved." } },
      );
      if (process.env["SHOTS"] !== undefined)
        await page.screenshot({ path: `${process.env["SHOTS"]}/form-${theme.name}.png`, fullPage: true });
      assert.deepEqual(await findViolations(page, theme === themes[0] ? "all" : "colors"), []);
    });
  }

  for (const [name, width, zoom, direction] of [
    ["a narrow editor", 260, 1, "ltr"],
    ["200 % zoom", 700, 2, "ltr"],
    ["a right-to-left language", 700, 1, "rtl"],
  ] as const) {
    it(`fits into ${name}`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await open({ origin: "These values come from a link." });
      await page.evaluate(
        ([factor, dir]) => {
          document.documentElement.dir = dir;
          document.documentElement.style.setProperty("--vscode-font-size", `${13 * factor}px`);
        },
        [zoom, direction] as const,
      );
      for (const details of await page.locator("summary").all()) await details.click();
      if (process.env["SHOTS"] !== undefined)
        await page.screenshot({
          path: `${process.env["SHOTS"]}/form-${width}-${zoom}-${direction}.png`,
          fullPage: true,
        });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px`);
    });
  }
});
