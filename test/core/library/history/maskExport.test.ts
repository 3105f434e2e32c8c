import assert from "node:assert/strict";
import { distinctFindings, maskSecrets } from "../../../../src/core/compose/send/secretFinding.ts";
import { maskExport, textOfExport } from "../../../../src/core/library/history/maskExport.ts";
import { findAllSecrets } from "../../../../src/workers/account/findAllSecrets.ts";
import { FakeSecrets } from "../../account/secrets/fakeSecrets.ts";

const fake = new FakeSecrets(41);

describe("An exported conversation", () => {
  for (const format of ["md", "json"] as const)
    it(`contains no secret after masking, and is otherwise complete: ${format}`, async () => {
      const secret = fake.random(40);
      const quoted = `a\nconst apiKey = "${secret}";\n"end"`;
      const text =
        format === "md" ? `# Chat\n\n${quoted}\n` : JSON.stringify({ messages: [{ text: quoted, n: 1 }] });
      const findings = distinctFindings(await findAllSecrets(textOfExport(text, format)));
      const masked = maskExport(text, format, (part) => maskSecrets(part, findings));
      assert.ok(!masked.includes(secret));
      assert.match(masked, /const apiKey = \\?"\[masked: /);
      assert.match(masked, /end/);
      if (format === "json") assert.equal(JSON.parse(masked).messages[0].n, 1);
    });

  it("is not scanned for secrets inside its images and audio", () => {
    const link = `data:image/png;base64,${fake.base64(4_000)}`;
    assert.equal(textOfExport(`![a](${link})`, "md"), "![a](data:image/png;base64,)");
    assert.equal(textOfExport(JSON.stringify({ url: link }), "json"), "data:image/png;base64,");
  });
});
