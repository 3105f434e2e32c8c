import type { Page } from "playwright-core";

/**
 * Gives the pages of extensions a site of their own, and so a process of their own, as the desktop does: the bare
 * server serves them from the workbench's, where a page that hangs takes the window with it.
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

/** The workbench's own policy knows no other site of this machine; the policies of the pages stay. */
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
