import type { ChatView } from "../host/chatView.ts";
import type { Workbench } from "../host/workbench.ts";

/** A state of the chat panel that is worth reviewing in every theme. */
export interface Scene {
  readonly name: string;
  /** A model of the local gateway; undefined leaves the panel empty. */
  readonly model?: string;
  readonly prompt?: string;
  /** Resolves when the panel shows the scene. */
  waitUntilShown(chat: ChatView): Promise<void>;
}

export const scenes: readonly Scene[] = [
  {
    name: "empty",
    waitUntilShown: (chat) => chat.frame.getByRole("list", { name: "Examples" }).waitFor(),
  },
  {
    name: "reasoning",
    model: "demo-lab/slow-thinker",
    prompt: "Which GPU fits a 70B model?",
    waitUntilShown: waitForResponse,
  },
];

/** Plays a scene in a new panel, hands it to `take`, lets it end, and closes the panel. */
export async function playScene(
  workbench: Workbench,
  { model, prompt, waitUntilShown }: Scene,
  take: () => Promise<void>,
): Promise<void> {
  await workbench.runCommand("Inference Gateway: New Chat");
  const chat = workbench.chatView();
  await chat.frame.getByRole("list", { name: "Examples" }).waitFor();
  if (model !== undefined) await ask(workbench, model, prompt ?? "");
  await waitUntilShown(chat);
  await take();
  if (model !== undefined) await waitForResponse(chat);
  await closeSecondEditor(workbench);
}

/** Closes the editor next to the first one. Its page would otherwise be mistaken for the next one. */
export async function closeSecondEditor(workbench: Workbench): Promise<void> {
  await workbench.runCommand("View: Close Editor");
  await workbench.page.locator(".tabs-container .tab").nth(1).waitFor({ state: "detached" });
}

/** Sends a message to this model in the panel that is shown. */
export async function ask(workbench: Workbench, model: string, prompt: string): Promise<void> {
  const chat = workbench.chatView();
  // Uses the page's own button: VS Code focuses a new page late, which would close a list opened from the palette.
  await chat.frame.getByRole("button", { name: /^Model:/ }).click();
  await workbench.quickInput.pick(model);
  await chat.frame.getByRole("button", { name: new RegExp(model) }).waitFor();
  await chat.send(prompt);
}

/** Waits for the whole response to the first message. */
export async function waitForResponse(chat: ChatView): Promise<void> {
  await chat.articles.nth(1).waitFor();
  await chat.waitUntilAnswered();
}
