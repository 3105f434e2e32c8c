import type { FrameLocator, Locator, Page } from "playwright-core";
import type { Workbench } from "./workbench.ts";

const extensionId = "inference-gateway.inference-gateway";

/** The form for a profile while it is the only visible page, located only by roles and names, as by a screen reader. */
export class ProfileFormView {
  readonly frame: FrameLocator;

  constructor(page: Page) {
    this.frame = page
      .frameLocator(`iframe.webview.ready[src*="extensionId=${extensionId}"] >> visible=true`)
      .frameLocator("iframe#active-frame");
  }

  get heading(): Locator {
    return this.frame.getByRole("heading", { level: 1 });
  }

  /** The control with this label. */
  field(label: string): Locator {
    return this.frame.getByLabel(label, { exact: true });
  }

  get saveButton(): Locator {
    return this.frame.getByRole("button", { name: "Check and Save" });
  }

  /** Opens a part of the form that is closed at first. */
  async open(summary: string): Promise<void> {
    await this.frame.getByText(summary, { exact: true }).click();
  }
}

/** Opens an empty form with the command of the palette, ready for typing. */
export async function openProfileForm(workbench: Workbench): Promise<ProfileFormView> {
  await workbench.runCommand("Inference Gateway: Add Profile…");
  const form = new ProfileFormView(workbench.page);
  // The form of another profile may still be visible.
  await form.heading.getByText("Add Profile", { exact: true }).waitFor();
  await form.saveButton.waitFor();
  return form;
}
