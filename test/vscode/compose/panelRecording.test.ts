import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AttachmentMessage } from "../../../src/core/panel/protocol.ts";
import type { PanelRecording } from "../../../src/vscode/compose/attachments/panelRecording.ts";
import { createFakeRecorder } from "../../support/fakeRecorder.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";

describe("A recording", () => {
  const searchPath = process.env["PATH"] ?? "";
  let folder: string;
  let posted: AttachmentMessage[];
  let recording: PanelRecording;
  let questions: number;
  const refuse = (): Promise<boolean> => {
    questions++;
    return Promise.resolve(false);
  };

  beforeEach(async () => {
    installFakeVscode();
    const { PanelRecording: Recording } =
      await import("../../../src/vscode/compose/attachments/panelRecording.ts");
    folder = mkdtempSync(join(tmpdir(), "recording-"));
    [posted, questions] = [[], 0];
    recording = new Recording(
      (message) => posted.push(message),
      () => ({ limits: { maxBytes: 1_000_000, maxCount: 1, maxImageEdge: 1 }, device: "", maxSeconds: 10 }),
      () => Promise.resolve(false),
    );
    process.env["PATH"] = folder;
  });

  afterEach(() => {
    process.env["PATH"] = searchPath;
    recording.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it("says that there is no recorder before it asks whether to record", async () => {
    await recording.start(refuse);
    assert.equal(questions, 0);
    assert.equal(posted.length, 1);
    assert.match(JSON.stringify(posted), /No recorder was found\. Install one of/);
  });

  it("asks once if there is a recorder, and doesn't start if the user refuses", async function () {
    if (process.platform !== "linux") this.skip();
    createFakeRecorder(folder);
    await Promise.all([recording.start(refuse), recording.start(refuse)]);
    assert.equal(questions, 1);
    assert.deepEqual(posted, [{ type: "recording" }]);
  });

  it("doesn't start if the panel is closed, or the recording is canceled, before the user agrees", async function () {
    if (process.platform !== "linux") this.skip();
    createFakeRecorder(folder);
    for (const close of [() => recording.dispose(), () => recording.end("cancel")]) {
      posted = [];
      await recording.start(() => {
        close();
        return Promise.resolve(true);
      });
      assert.doesNotMatch(JSON.stringify(posted), /maxSeconds/);
    }
  });
});
