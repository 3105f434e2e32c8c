import { errors } from "playwright-core";
import type { Locator, Page } from "playwright-core";

/** How long a key may take to show, in milliseconds; after that the way is gone again from its beginning. */
const stepLimit = { timeout: 5_000 };

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

  /** What is typed; undefined if nothing is asked. */
  async text(): Promise<string | undefined> {
    const { input } = this;
    if (!(await input.isVisible())) return undefined;
    return input.inputValue(stepLimit).catch(ignoreTimeout);
  }

  /** Accepts the row with exactly this label, once it is offered. */
  async pick(label: string): Promise<void> {
    await this.pickRow(this.row(label).first());
  }

  /**
   * Accepts the row once it is offered. By keys: a list that is drawn again puts another row under the mouse, but never
   * under the focus before that was looked at.
   */
  async pickRow(row: Locator): Promise<void> {
    await row.waitFor();
    await this.#focusRow(row);
    await this.input.press("Enter");
    await row.waitFor({ state: "hidden" });
  }

  /** Whether the command with this title was accepted; false if the palette doesn't offer it within the time. */
  async pickCommand(title: string, limit: { readonly timeout: number }): Promise<boolean> {
    const text = `>${title}`;
    const row = this.row(title).first();
    try {
      await this.input.fill(text, limit);
      await row.waitFor(limit);
      await this.#focusRow(row);
      await this.input.press("Enter", stepLimit);
    } catch (error) {
      return ignoreTimeout(error) ?? false;
    }
    // One that is given up too early may have been accepted, and would be run twice.
    return this.#waitUntilLeft(text, { timeout: 20_000 }).then(
      () => true,
      (error: unknown) => ignoreTimeout(error) ?? false,
    );
  }

  /** Types a response and accepts it; returns when it was taken, so that the box is not mistaken for the next one. */
  async answer(text: string): Promise<void> {
    await this.input.fill(text);
    await this.input.press("Enter");
    await this.#waitUntilLeft(text, {});
  }

  /** Ticks the row with this label, which a text that was typed has brought up. */
  async tick(label: string): Promise<void> {
    await this.#setTick(label, true);
  }

  async clear(label: string): Promise<void> {
    await this.#setTick(label, false);
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

  async #setTick(label: string, isTicked: boolean): Promise<void> {
    const row = this.row(label).first();
    await row.locator(".monaco-checkbox").click();
    await row.locator(`.monaco-checkbox[aria-checked="${isTicked}"]`).waitFor();
  }

  /** Behind its last row a list begins again. */
  async #focusRow(row: Locator): Promise<void> {
    const focused = row.and(this.#page.locator(".focused"));
    for (let step = 0; step < 200; step++) {
      if ((await focused.count()) > 0) return;
      await this.input.press("ArrowDown", stepLimit);
    }
    throw new errors.TimeoutError("The keys don't reach the row.");
  }

  /** Until the box has gone, or asks something else: one that is still fading in takes no key. */
  async #waitUntilLeft(text: string, limit: { readonly timeout?: number }): Promise<void> {
    const isLeft = `![...document.querySelectorAll(".quick-input-widget input")].some(
      (input) => input.checkVisibility() && input.value === ${JSON.stringify(text)},
    )`;
    await this.#page.waitForFunction(isLeft, undefined, limit);
  }
}

function ignoreTimeout(error: unknown): undefined {
  if (!(error instanceof errors.TimeoutError)) throw error;
}

/** Text that is this and nothing more, whatever characters are in it. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\\s*$`);
}
