import { launchBrowser } from "../host/browser.ts";
import { saveFailure } from "../host/failureReport.ts";
import type { VscodeServer } from "../host/vscodeServer.ts";
import { Workbench } from "../host/workbench.ts";

/**
 * Checks what a new user sees in the window: servers are listed, and an open chat responds. Throws if that isn't the
 * case.
 */
export async function checkWindow(server: VscodeServer, workspace: string): Promise<void> {
  const chromium = await launchBrowser();
  const workbench = await Workbench.open(chromium.context, server, { folder: workspace });
  try {
    await workbench.treeRows("GPU Servers").first().waitFor();
    const chat = workbench.chatView();
    await chat.send("Hello");
    await chat.lastArticle.getByText("isn't a language model").first().waitFor();
    await chat.waitUntilAnswered();
  } catch (error) {
    const report = await saveFailure("start", workbench, server);
    throw new Error(`The window isn't as expected.\n${report}`, { cause: error });
  } finally {
    await chromium.close();
  }
}
