import { errors } from "playwright-core";
import type { Locator, Page } from "playwright-core";

/** Milliseconds allowed for a key to take effect. After that, all steps are repeated from the start. */
const stepLimit = { timeout: 5_000 };

/** The box at the top of the window: the command palette and all inputs of extensions. */
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

  /** Labels of the visible rows. */
  async labels(): Promise<readonly string[]> {
    await this.rows.first().waitFor();
    return await this.rows.locator(".label-name").allTextContents();
  }

  /** The text in the box; undefined if it isn't open. */
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
   * Accepts the row once it is offered. By keyboard, because a list that is redrawn may put a different row under the
   * mouse, but never moves the focus before it was checked.
   */
  async pickRow(row: Locator): Promise<void> {
    await row.waitFor();
    await this.#focusRow(row);
    await this.input.press("Enter");
    await row.waitFor({ state: "hidden" });
  }

  /** Whether the command with this title was accepted; false if the palette doesn't offer it in time. */
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
    // A command that is given up too early may have been accepted, and would run twice.
    return this.#waitUntilLeft(text, { timeout: 20_000 }).then(
      () => true,
      (error: unknown) => ignoreTimeout(error) ?? false,
    );
  }

  /**
   * Types a response and accepts it. Returns once it was accepted, so that this box isn't mistaken for the next one.
   */
  async answer(text: string): Promise<void> {
    await this.input.fill(text);
    await this.input.press("Enter");
    await this.#waitUntilLeft(text, {});
  }

  /** Checks the row with this label, which the typed text has brought up. */
  async tick(label: string): Promise<void> {
    await this.#setTick(label, true);
  }

  async clear(label: string): Promise<void> {
    await this.#setTick(label, false);
  }

  async dismiss(): Promise<void> {
    await this.input.waitFor();
    // A box that is still fading in doesn't accept keys, and one that closes at that moment can't be reached.
    while (await this.input.isVisible()) {
      await this.input.press("Escape", stepLimit).catch(ignoreTimeout);
      await this.input.waitFor({ state: "hidden", timeout: 2_000 }).catch(ignoreTimeout);
    }
  }

  async #setTick(label: string, isTicked: boolean): Promise<void> {
    const row = this.row(label).first();
    await this.#waitUntilStill(row);
    await row.locator(".monaco-checkbox").click();
    await row.locator(`.monaco-checkbox[aria-checked="${isTicked}"]`).waitFor();
  }

  /** A list that is still being filtered would move another row under the mouse. */
  async #waitUntilStill(row: Locator): Promise<void> {
    for (let last = "", now = await this.#placeOf(row); now !== last;) {
      last = now;
      await this.#page.waitForTimeout(200);
      now = await this.#placeOf(row);
    }
  }

  async #placeOf(row: Locator): Promise<string> {
    return JSON.stringify([await row.boundingBox(), await this.rows.count()]);
  }

  /** After its last row, the list wraps around. */
  async #focusRow(row: Locator): Promise<void> {
    const focused = row.and(this.#page.locator(".focused"));
    for (let step = 0; step < 200; step++) {
      if ((await focused.count()) > 0) return;
      await this.input.press("ArrowDown", stepLimit);
    }
    throw new errors.TimeoutError("The keys don't reach the row.");
  }

  /** Waits until the box has closed or asks something else. A box that is still fading in doesn't accept keys. */
  async #waitUntilLeft(text: string, limit: { readonly timeout?: number }): Promise<void> {
    const isLeft = `![...document.querySelectorAll(".quick-input-widget input")].some(
      (input) => input.checkVisibility() && input.value === ${JSON.stringify(text)},
    )`;
    await this.#page.waitForFunction(isLeft, undefined, { polling: 50, ...limit });
  }
}

function ignoreTimeout(error: unknown): undefined {
  if (!(error instanceof errors.TimeoutError)) throw error;
}

/** Matches exactly this text, whatever characters it contains. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}\\s*$`);
}
