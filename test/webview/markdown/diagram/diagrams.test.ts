import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import { ChatPageDriver, createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testPage } from "../../support/pageTests.ts";
import { themes } from "../../support/themes.ts";

const flowchart = "```mermaid\nflowchart LR\n  accTitle: From A to B\n  A --> B\n```\n";

describe("Diagrams on the page", function () {
  const driver = new ChatPageDriver({ width: 600, height: 600 });
  testPage(driver, () => driver.open(themes[0]));

  async function show(text: string, status: "complete" | "streaming" = "complete"): Promise<void> {
    const messages = [createMessage({ id: "a", text, status })];
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
    await driver.frames();
  }

  const image = () => driver.page.locator(".diagram-image");

  it("are rendered as static images with their labels as alternative text", async () => {
    await show(flowchart);
    await image().waitFor();
    await eventually(async () => assert.equal(await image().getAttribute("alt"), "From A to B"));
    const src = (await image().getAttribute("src")) ?? "";
    assert.ok(src.startsWith("data:image/svg+xml;"));
    assert.doesNotMatch(decodeURIComponent(src), /foreignObject|<script|xlink:href="http/i);
    await eventually(async () =>
      assert.ok(await image().evaluate((node) => node instanceof HTMLImageElement && node.naturalWidth > 50)),
    );
  });

  it("show the source of formulas", async () => {
    await show("```mermaid\nsequenceDiagram\n  A->>B: The area is $$\\pi r^2$$\n```\n");
    await image().waitFor();
    const src = decodeURIComponent((await image().getAttribute("src")) ?? "");
    assert.match(src, /The area is[^]*\\pi r\^2/);
  });

  it("load their bundle only when one is complete", async () => {
    await show("```mermaid\nflowchart LR\n A --> B", "streaming");
    await driver.frames();
    assert.ok(!driver.requestedFiles.includes("diagramRenderer.js"));
    await show(`${flowchart}\nWords.\n\nMore.\n`, "streaming");
    await image().waitFor();
    assert.ok(driver.requestedFiles.includes("diagramRenderer.js"));
  });

  it("can be replaced by their source and shown again", async () => {
    await show(flowchart);
    await image().waitFor();
    await driver.page.getByRole("button", { name: "Show Source" }).click();
    await eventually(async () => {
      assert.equal(await image().isVisible(), false);
      assert.equal(await driver.page.locator(".code pre").isVisible(), true);
    });
    await driver.page.getByRole("button", { name: "Show Diagram" }).click();
    await eventually(async () => assert.equal(await image().isVisible(), true));
  });

  it("are only rendered near the viewport, and not if they left it before their turn", async () => {
    const lines = Array.from({ length: 10 }, (_, index) => `  n${index} --> n${index + 1}\n`).join("");
    // None is drawn before all of them have been in view, however long that takes.
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await driver.page.route("**/diagramRenderer.js", async (route) => {
      await isReleased;
      await route.continue();
    });
    await show(`\`\`\`mermaid\nflowchart LR\n${lines}\`\`\`\n\n`.repeat(40), "streaming");
    await driver.page.locator(".code").nth(39).waitFor({ state: "attached" });
    const scroller = driver.page.locator(".scroller");
    await scroller.evaluate(async (element) => {
      for (let step = 40; step >= 0; step -= 1) {
        element.scrollTop = (element.scrollHeight * step) / 40;
        await new Promise(requestAnimationFrame);
      }
    });
    release();
    await driver.page.locator(".code").first().locator(".diagram-image").waitFor();
    // If more of them were still waiting for their turn, some of those would be drawn.
    await driver.page.waitForTimeout(500);
    assert.ok((await image().count()) < 30, `${await image().count()} of 40 diagrams were rendered`);
    assert.ok(await driver.page.locator(".code:not(.drawn) pre").first().isVisible());
  });

  it("that contain an error show their source and the reason", async () => {
    await show("```mermaid\nflowchart LR\n  A --> {\n```\n\n" + flowchart);
    await driver.page.locator(".diagram-error").waitFor();
    await eventually(async () => {
      assert.match((await driver.page.locator(".diagram-error").textContent()) ?? "", /Parse error on line/);
      assert.equal(await driver.page.locator(".code pre").first().isVisible(), true);
    });
    await image().waitFor();
  });

  it("follow the theme", async () => {
    await show(flowchart);
    await image().waitFor();
    const before = await image().getAttribute("src");
    const [, light] = themes;
    assert.ok(light);
    await driver.setTheme(light);
    await driver.page.waitForFunction(
      (old) => document.querySelector(".diagram-image")?.getAttribute("src") !== old,
      before,
    );
  });

  it("run and load nothing, whatever they contain", async () => {
    const attacks = [
      'flowchart LR\n  A["<img src=https://evil.example/a.png onerror=alert(1)>"] --> B',
      'flowchart LR\n  A --> B\n  click A "javascript:alert(1)"\n  click B href "https://evil.example" _blank',
      '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["<iframe src=https://evil.example></iframe>"]',
      '%%{init: {"themeCSS": "@import url(https://evil.example/a.css); * { background: url(https://evil.example/b.png) }"}}%%\nflowchart LR\n  A --> B',
      "flowchart LR\n  A --> B\n  style A fill:url(https://evil.example/c.png)",
      'flowchart LR\n  A@{ img: "https://evil.example/d.png", label: "x" }',
      "sequenceDiagram\n  participant A\n  link A: x @ javascript:alert(1)\n  A->>A: <script>parent.__pwned = 1</script>",
    ];
    const failures: string[] = [];
    driver.page.on("requestfailed", (request) => {
      failures.push(`${request.url()} ${request.failure()?.errorText}`);
    });
    await show(attacks.map((source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`).join("\n"));
    for (const index of attacks.keys()) {
      const block = driver.page.locator(".code").nth(index);
      await block.scrollIntoViewIfNeeded();
      await block.locator(".diagram-image, .diagram-error").waitFor();
    }
    assert.equal(await driver.page.evaluate(() => globalThis.__pwned), undefined);
    // Requests that mermaid would have made while drawing were blocked.
    await eventually(() => {
      const tried = driver.foreignRequests.map((url) => `${url} csp`);
      assert.deepEqual(failures.toSorted(), tried.toSorted());
    });
    driver.foreignRequests.splice(0);
    const names = await driver.page
      .locator("article *")
      .evaluateAll((all) => all.map((node) => node.tagName));
    assert.deepEqual(
      names.filter((name) => /^(?:SVG|IFRAME|SCRIPT|STYLE|A)$/i.test(name)),
      [],
    );
  });

  it("are rendered in a frame that can't access the page", async () => {
    await show(flowchart);
    await image().waitFor();
    const frame = driver.page.frames().find((candidate) => candidate !== driver.page.mainFrame());
    const reached = await frame?.evaluate(() => {
      try {
        return String(window.parent.document);
      } catch {
        return window.origin;
      }
    });
    assert.equal(reached, "null");
    const loaded = await frame?.evaluate(
      () =>
        new Promise((resolve) => {
          fetch("https://evil.example/").then(
            () => resolve("loaded"),
            () => resolve("refused"),
          );
        }),
    );
    assert.equal(loaded, "refused");
  });
});
