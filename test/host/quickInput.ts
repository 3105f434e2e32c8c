import type { Locator, Page } from "playwright-core";

/** The box at the top of the window: the command palette, and every question that an extension asks. */
export class QuickInput {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The visible box to type into. */
  get input(): Locator {
    return this.#page.locator(".quick-input-widget input:visible").first();
  }

  get rows(): Locator {
    return this.#page.locator(".quick-input-list .monaco-list-row");
  }

  /** The row with exactly this label. */
  row(label: string): Locator {
    return this.rows.filter({
      has: this.#page.locator(".label-name").filter({ hasText: exactly(label) }),
    });
  }

  /** Labels of the rows that are on screen. */
  async labels(): Promise<readonly string[]> {
    await this.rows.first().waitFor();
    return await this.rows.locator(".label-name").allTextContents();
  }

  async pick(label: string): Promise<void> {
    await this.row(label).first().click();
  }

  /** Types an answer and accepts it. */
  async answer(text: string): Promise<void> {
    await this.input.fill(text);
    await this.input.press("Enter");
  }

  async dismiss(): Promise<void> {
    await this.input.press("Escape");
    // A box that is still fading in takes no key.
    const isGone = await this.input.waitFor({ state: "hidden", timeout: 2_000 }).then(
      () => true,
      () => false,
    );
    if (!isGone) await this.dismiss();
  }
}

/** Text that is this and nothing more, whatever characters are in it. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\\s*$`);
}
