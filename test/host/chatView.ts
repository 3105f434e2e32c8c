import type { FrameLocator, Locator, Page } from "playwright-core";

const extensionId = "inference-gateway.inference-gateway";

/** A chat page inside its two frames, located only by roles and names, as by a screen reader. */
export class ChatView {
  readonly frame: FrameLocator;

  /** `index` counts the visible pages in order of their creation. */
  constructor(page: Page, index = 0) {
    this.frame = page
      .frameLocator(`iframe.webview.ready[src*="extensionId=${extensionId}"] >> nth=${index}`)
      .frameLocator("iframe#active-frame");
  }

  get messageBox(): Locator {
    return this.frame.getByRole("textbox", { name: "Message" });
  }

  get sendButton(): Locator {
    return this.frame.getByRole("button", { name: "Send", exact: true });
  }

  get stopButton(): Locator {
    return this.frame.getByRole("button", { name: "Stop", exact: true });
  }

  get transcript(): Locator {
    return this.frame.getByRole("log");
  }

  /** Every message, oldest first. */
  get articles(): Locator {
    return this.transcript.getByRole("article");
  }

  get lastArticle(): Locator {
    return this.articles.last();
  }

  /**
   * Returns once the message is in the transcript or on hold, so that what follows doesn't look at an earlier state.
   */
  async send(text: string): Promise<void> {
    await this.messageBox.fill(text);
    const count = await this.articles.count();
    await this.sendButton.click();
    const hold = this.frame.getByRole("alertdialog", { name: "Message on hold" });
    const taken = this.stopButton.or(hold).or(this.articles.nth(count + 1));
    // A test that sends something which is refused looks for the reason itself.
    await taken
      .first()
      .waitFor({ timeout: 15_000 })
      .catch(() => undefined);
  }

  /** Waits until nothing is streaming, which is immediately the case if the response hasn't started yet. */
  async waitUntilAnswered(): Promise<void> {
    await this.transcript.locator('article[aria-busy="true"]').first().waitFor({ state: "detached" });
    await this.stopButton.waitFor({ state: "hidden" });
    await this.sendButton.waitFor({ state: "visible" });
  }
}
