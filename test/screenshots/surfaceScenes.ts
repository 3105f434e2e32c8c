import type { Workbench } from "../host/workbench.ts";
import { closeSecondEditor } from "./scenes.ts";

/** Plays the scenes in VS Code's own surfaces: each is shown, passed to `take` with its name, and closed. */
export async function playSurface(
  workbench: Workbench,
  take: (name: string) => Promise<void>,
): Promise<void> {
  const { page, quickInput } = workbench;
  const menuEntry = (label: string) =>
    page.locator(".monaco-menu .action-label").getByText(label, { exact: true });

  await workbench.treeRows("GPU Servers").filter({ hasText: "trainer-08" }).click({ button: "right" });
  await menuEntry("Watch").hover();
  await take("menu");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.locator(".monaco-menu").first().waitFor({ state: "detached" });

  await workbench.runCommand("Inference Gateway: Server Actions…");
  await quickInput.rows.nth(2).waitFor();
  await take("actions");
  await quickInput.dismiss();

  await workbench.runFromPicker("Arrange Servers…", "Filter…");
  await quickInput.answer("name:nothing-is-called-so");
  const welcome = page.locator(".pane .welcome-view-content");
  await welcome.getByRole("button", { name: "Clear Filter" }).waitFor();
  await take("welcome");
  await welcome.getByRole("button", { name: "Clear Filter" }).click();
  await workbench.treeRows("GPU Servers").first().waitFor();

  for (const [name, picker, entry] of [
    ["requests", "Chat Actions…", "Show Requests…"],
    ["agents", "Manage Profile…", "Connect Agents…"],
  ] as const) {
    await workbench.runFromPicker(picker, entry);
    await quickInput.rows.first().waitFor();
    await take(name);
    await quickInput.dismiss();
  }

  await workbench.runCommand("Inference Gateway: Show Costs");
  await workbench.chatView().frame.getByRole("table", { name: "Costs", exact: true }).waitFor();
  await take("costs");
  await closeSecondEditor(workbench);

  await workbench.runCommand("Preferences: Open Settings (UI)");
  await page.locator(".settings-editor .suggest-input-container .view-lines").click();
  await page.keyboard.type("@ext:inference-gateway.inference-gateway");
  await page
    .locator(".settings-editor")
    .getByText(/^\d+ Settings Found$/)
    .waitFor();
  await take("settings");
  await closeSecondEditor(workbench);
}
