import type { Page } from "playwright-core";

/**
 * Gives extension pages a site, and therefore a process, of their own, as on the desktop. The bare server uses the
 * workbench's site for them, so a page that hangs would take the window with it.
 */
export async function isolatePages(page: Page): Promise<void> {
  await allowEverySite(page);
  await page.addInitScript(`{
    const element = () => document.getElementById("vscode-workbench-web-configuration");
    new MutationObserver((_, observer) => {
      if (element() === null) return;
      observer.disconnect();
      const settings = JSON.parse(element().dataset.settings);
      const { pathname } = new URL(settings.webviewEndpoint, location.href);
      settings.webviewEndpoint = "http://{{uuid}}.localhost:" + location.port + pathname + "/";
      element().dataset.settings = JSON.stringify(settings);
    }).observe(document, { childList: true, subtree: true });
  }`);
}

/** The workbench's own policy doesn't allow other sites on this machine. The policies of the pages are kept. */
async function allowEverySite(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const pattern = { urlPattern: "*folder=*", requestStage: "Response", resourceType: "Document" } as const;
  await devtools.send("Fetch.enable", { patterns: [pattern] });
  devtools.on("Fetch.requestPaused", async ({ requestId, responseStatusCode, responseHeaders = [] }) => {
    const { body } = await devtools.send("Fetch.getResponseBody", { requestId });
    const isPolicy = /^content-security-policy$/i;
    await devtools.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: responseStatusCode ?? 200,
      responseHeaders: responseHeaders.filter(({ name }) => !isPolicy.test(name)),
      body,
    });
  });
}
