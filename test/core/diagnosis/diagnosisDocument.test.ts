import assert from "node:assert/strict";
import type { Diagnosis } from "../../../src/core/diagnosis/diagnosis.ts";
import { diagnosisPage, remediesOf } from "../../../src/core/diagnosis/diagnosisDocument.ts";

const remedy = (label: string) => ({ remedy: "bypassProxy", label, host: "gateway.example" }) as const;

const diagnosis: Diagnosis = {
  startedAt: 0,
  environment: ["VS Code 1.106.0"],
  profiles: [
    {
      profileName: "<b>Mine</b>",
      sections: [
        {
          title: "Address",
          address: "https://gateway.example",
          steps: [
            {
              title: "Proxy",
              status: "failed",
              summary: 'It said <a href="command:workbench.action.quit">hello</a> & sk-secret.',
              facts: [{ label: "Header", value: "\"'><img src=x onerror=alert(1)>" }],
              remedies: [remedy("Go around the proxy"), remedy("Second")],
            },
            { title: "TLS", status: "passed", summary: "Fine.", tookMs: 1234, remedies: [remedy("Third")] },
            { title: "Clock <3", status: "passed", summary: "Same time." },
          ],
        },
      ],
    },
  ],
};

describe("The connection report page", () => {
  const html = diagnosisPage(diagnosis, {
    redact: (text) => text.replaceAll("sk-secret", "[masked]"),
    remedyAddress: (index) => `command:fix?${index}`,
  });

  it("contains no untrusted markup and no secret", () => {
    const tags = new Set(html.match(/<\/?[a-z][a-z0-9]*/g)?.map((tag) => tag.replace(/<\/?/, "")));
    assert.deepEqual([...tags].toSorted(), [
      "a",
      "code",
      "dd",
      "details",
      "dl",
      "dt",
      "h1",
      "h2",
      "h3",
      "li",
      "p",
      "span",
      "strong",
      "summary",
      "ul",
    ]);
    assert.deepEqual(
      html.match(/href="[^"]*"/g),
      [0, 1, 2].map((index) => `href="command:fix?${index}"`),
    );
    assert.ok(!html.includes("sk-secret"));
    assert.match(html, /&lt;b&gt;Mine&lt;\/b&gt;/);
  });

  it("folds passed steps that need nothing, and leads with the result", () => {
    assert.match(html, /<h1>Connection Report: One step failed\.<\/h1>/);
    const [details = ""] = html.match(/<details>.*?<\/details>/s) ?? [];
    assert.match(details, /<summary>.*✔ Passed.*Clock &lt;3<\/summary>/);
    assert.match(details, /Same time/);
    assert.doesNotMatch(details, /TLS|Proxy/);
  });

  it("has a button for everything that can be fixed, in the order of the fixes", () => {
    const labels = remediesOf(diagnosis).map(({ label }) => label);
    assert.deepEqual(labels, ["Go around the proxy", "Second", "Third"]);
    assert.deepEqual(
      [...html.matchAll(/<a class="button primary"[^>]*>([^<]*)<\/a>/g)].map(([, label]) => label),
      labels,
    );
    assert.match(html, /<strong>TLS<\/strong> \(1,234 ms\): Fine\./);
  });
});
