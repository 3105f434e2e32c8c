import assert from "node:assert/strict";
import { languages, readTexts } from "../../l10n/support/readTexts.ts";
import type { ChatPageDriver } from "../support/chatPageDriver.ts";
import { testChatPage } from "../support/pageTests.ts";
import { pageStates, showState } from "../support/states.ts";

/** The texts of everything that is clipped or outside the page and can't be scrolled to. */
async function findOutOfSight(driver: ChatPageDriver): Promise<readonly string[]> {
  return await driver.page.evaluate(() => {
    /**
     * Where an element is clipped on purpose: scrollable areas, text with an ellipsis, and text for screen readers
     * only.
     */
    const cutsOff = (element: Element): boolean => {
      const { overflowX, clipPath } = getComputedStyle(element);
      return overflowX !== "visible" || clipPath !== "none" || element.matches(".visually-hidden");
    };
    const isCutOnPurpose = (element: Element): boolean => {
      for (let at: Element | null = element; at !== null && at.id !== "app"; at = at.parentElement) {
        if (!at.matches(".scroller, dialog, .column") && cutsOff(at)) return true;
      }
      return false;
    };
    const found = [...document.querySelectorAll("#app *")].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      if (width === 0 || isCutOnPurpose(element)) return false;
      return (
        left < -0.5 ||
        right > innerWidth + 0.5 ||
        (element.scrollWidth > element.clientWidth + 1 && element.matches("button"))
      );
    });
    return found.map((element) => `${element.className}: ${element.textContent?.trim().slice(0, 60) ?? ""}`);
  });
}

/** Whether the user can type and send: the composer is completely visible at the bottom. */
async function isComposerInSight(driver: ChatPageDriver): Promise<boolean> {
  return await driver.page.locator(".composer").evaluate((composer) => {
    const { top, bottom } = composer.getBoundingClientRect();
    return top > 0 && bottom <= innerHeight;
  });
}

/** The names of controls that overlap, in pairs. */
async function findOverlaps(driver: ChatPageDriver): Promise<readonly string[]> {
  return await driver.page.evaluate(() => {
    // Anything that stays visible while the rest is scrolled overlaps it on purpose.
    for (const head of document.querySelectorAll<HTMLElement>(".compare-column-head"))
      head.style.position = "static";
    const controls = [...document.querySelectorAll<HTMLElement>("#app button, #app select")]
      .filter((element) => element.checkVisibility())
      .filter((element) => element.closest("dialog, .new-text") === null)
      .map((element) => ({
        name: element.ariaLabel ?? element.innerText,
        box: element.getBoundingClientRect(),
      }));
    return controls.flatMap(({ name, box }, index) =>
      controls
        .slice(index + 1)
        .filter(
          (other) =>
            Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 1 &&
            Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 1,
        )
        .map((other) => `${name} and ${other.name}`),
    );
  });
}

for (const language of ["en", ...languages]) {
  describe(`The chat page in ${language}`, function () {
    const driver = testChatPage({ width: 300, height: 700, language });

    it("shows its own text in that language", async () => {
      const texts = language === "en" ? {} : readTexts(`media/l10n/bundle.l10n.${language}.json`);
      const words = (text: string): string => texts[text] ?? text;
      await showState(driver, { name: "", messages: pageStates[0]?.messages ?? [] });
      await driver.page.getByRole("textbox", { name: words("Message"), exact: true }).waitFor();
      await driver.page.getByRole("heading", { name: words("Chat with your models") }).waitFor();
    });

    for (const state of pageStates) {
      it(`fits into 300 pixels for ${state.name}`, async () => {
        await showState(driver, state);
        assert.deepEqual(await findOutOfSight(driver), []);
        assert.deepEqual(await findOverlaps(driver), []);
        assert.ok(await isComposerInSight(driver));
      });
    }
  });
}
