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

  async send(text: string): Promise<void> {
    await this.messageBox.fill(text);
    await this.sendButton.click();
  }

  /** Waits until nothing is streaming. */
  async waitUntilAnswered(): Promise<void> {
    await this.stopButton.waitFor({ state: "hidden" });
    await this.sendButton.waitFor({ state: "visible" });
  }
}
