import type { Workbench } from "../host/workbench.ts";
import { closeSecondEditor } from "./scenes.ts";

/** The cloud account as shown in VS Code: each scene is shown, passed to `take` with its name, and closed. */
export async function playAccount(
  workbench: Workbench,
  take: (name: string) => Promise<void>,
): Promise<void> {
  const { quickInput, page } = workbench;
  await workbench.runCommand("Inference Gateway: Show Servers as Table");
  await workbench.chatView().frame.getByRole("rowheader").first().waitFor();
  await take("table");
  await closeSecondEditor(workbench);

  await workbench.runCommand("Inference Gateway: Diagnose Connection");
  await workbench.editorTab("Connection Report").waitFor();
  await workbench.chatView().frame.getByRole("heading", { name: "Connection Report" }).waitFor();
  await take("diagnosis");
  await closeSecondEditor(workbench);

  await workbench.treeRows("GPU Servers").filter({ hasText: "trainer-08" }).click();
  await workbench.runFromPicker("Server Actions…", "Show Server Details");
  // The page belongs to VS Code's own Markdown extension.
  const preview = page.locator('iframe.webview.ready[src*="markdown-language-features"]').contentFrame();
  await preview.locator("iframe#active-frame").contentFrame().getByRole("heading").first().waitFor();
  await take("details");
  await closeSecondEditor(workbench);

  await workbench.runFromPicker("Manage Profile…", "Manage Credentials…");
  await quickInput.rows.nth(2).waitFor();
  await take("credentials");
  await quickInput.dismiss();
}
