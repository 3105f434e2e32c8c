import { startWordServer } from "../support/wordServer.ts";
import type { WordServer, WordStream } from "../support/wordServer.ts";
import type { ChatView } from "./chatView.ts";
import { TestWindow } from "./testWindow.ts";
import type { TestWindowOptions } from "./testWindow.ts";
import type { Workbench } from "./workbench.ts";

/** A window whose profile is a service that responds with numbered words. */
export interface WordWindow {
  readonly words: WordServer;
  readonly window: TestWindow;
  readonly workbench: Workbench;
}

/** Opens such a window for the tests of the surrounding suite, hands it over before they start, and closes it after. */
export function openWordWindow(options: TestWindowOptions, use: (opened: WordWindow) => void): void {
  let words: WordServer | undefined;
  let window: TestWindow | undefined;
  before(async () => {
    words = await startWordServer();
    const profile = { name: "Words", inferenceBaseUrl: words.inferenceBaseUrl };
    const settings = { "inferenceGateway.profiles": [profile], ...options.server?.settings };
    window = await TestWindow.open({ ...options, server: { ...options.server, settings } });
    use({ words, window, workbench: window.workbench });
  });
  after(async () => {
    await window?.close();
    await words?.close();
  });
  afterEach(async function () {
    await window?.reportFailure(this.currentTest);
  });
}

/** Opens a chat alone in the editor area and requests the words with this name. */
export async function askForWords(
  { words, workbench }: Pick<WordWindow, "words" | "workbench">,
  name: string,
): Promise<{ readonly chat: ChatView; readonly stream: WordStream }> {
  await workbench.runCommand("View: Close All Editors");
  await workbench.runCommand("Inference Gateway: New Chat");
  const chat = workbench.chatView();
  await chat.send(name);
  return { chat, stream: await words.waitForStream(name) };
}
