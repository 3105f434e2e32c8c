import type { ContentPart } from "../../../src/core/conversation/completion.ts";
import type { FromWebview, ToWebview } from "../../../src/core/panel/protocol.ts";
import { createSnapshot } from "./chatPageDriver.ts";
import { testChatPage } from "./pageTests.ts";

/** A model that supports images and audio. */
export const omni = { id: "lab/omni", supportsImages: true, supportsAudio: true };
/** A model that supports text only. */
export const blind = { id: "lab/blind", supportsImages: false, supportsAudio: false };

/** A chat page for the tests of the surrounding suite, opened for each of them with the model `omni`. */
export function openAttachmentComposer() {
  const driver = testChatPage({ width: 600, height: 600, prepare: (): Promise<void> => show() });
  const show = (parts: Parameters<typeof createSnapshot>[0] = {}) =>
    driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        picker: { state: "ready", models: [omni, blind], selected: omni.id },
        ...parts,
      }),
    });
  const tray = () => driver.page.getByRole("list", { name: "Attachments" });
  const item = (name: string) => tray().getByRole("listitem").filter({ hasText: name });
  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const remark = (words: string | RegExp) => driver.page.locator(".remarks").getByText(words);
  /** The messages of this type that the page has posted since the last call; others are dropped. */
  const posted = async <Type extends FromWebview["type"]>(type: Type) =>
    (await driver.takePosted()).filter(
      (message): message is Extract<FromWebview, { readonly type: Type }> => message.type === type,
    );
  /** Sends the message, and resolves with its attachments. */
  const sent = async (): Promise<readonly ContentPart[]> => {
    await box().press("Enter");
    return (await posted("send")).at(-1)?.attachments ?? [];
  };
  return {
    get page() {
      return driver.page;
    },
    send: (...messages: readonly ToWebview[]) => driver.send(...messages),
    takePosted: () => driver.takePosted(),
    ...{ show, tray, item, box, remark, posted, sent },
  };
}
