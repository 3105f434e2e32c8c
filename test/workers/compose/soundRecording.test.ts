import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Recorder } from "../../../src/core/compose/attachments/recorders.ts";
import { bytesPerSecond } from "../../../src/core/compose/attachments/recorders.ts";
import { NoRecorderError, SoundRecording, hasRecorder } from "../../../src/workers/compose/soundRecording.ts";
import { createFakeRecorder } from "../../support/fakeRecorder.ts";

/** A recorder that runs this script. */
function recorder(script: string): Recorder {
  return { program: process.execPath, args: ["-e", script] };
}

const endless = recorder(
  "process.on('SIGINT', () => process.exit()); const b = Buffer.alloc(3200, 7); setInterval(() => process.stdout.write(b), 5);",
);
const missing = { program: "no-such-recorder-anywhere", args: [] };
const failing = recorder("console.error('no soundcards found'); process.exit(1)");

function length(recording: SoundRecording): number {
  return recording.samples.reduce((sum, chunk) => sum + chunk.length, 0);
}

describe("SoundRecording", () => {
  it("uses the first recorder that produces audio", async () => {
    const recording = await SoundRecording.start([missing, failing, endless], 60);
    assert.equal(recording.recorder, endless);
    assert.ok(length(recording) > 0);
    await recording.stop();
  });

  it("keeps what was received when it is stopped", async () => {
    const recording = await SoundRecording.start([endless], 60);
    await recording.stop();
    await recording.ended;
    const bytes = length(recording);
    assert.ok(bytes > 0 && bytes < 60 * bytesPerSecond);
    assert.ok(recording.samples.every((chunk) => chunk.every((byte) => byte === 7)));
  });

  it("ends at the time limit, exact to the sample", async () => {
    const recording = await SoundRecording.start([endless], 2);
    await recording.ended;
    assert.equal(length(recording), 2 * bytesPerSecond);
  });

  it("terminates a recorder that ignores the signal", async () => {
    const deaf = recorder(
      "process.on('SIGINT', () => {}); setInterval(() => process.stdout.write(Buffer.alloc(100)), 5);",
    );
    const recording = await SoundRecording.start([deaf], 60);
    await recording.stop();
  });

  it("ends when its recorder ends", async () => {
    const recording = await SoundRecording.start(
      [recorder("process.stdout.write(Buffer.alloc(6400, 1))")],
      60,
    );
    await recording.ended;
    assert.equal(length(recording), 6400);
  });

  it("finds a program on the search path without starting it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "recorder-"));
    const path = [join(folder, "none"), folder].join(delimiter);
    assert.equal(await hasRecorder(["parec"], path), false);
    createFakeRecorder(folder);
    assert.equal(await hasRecorder(["sox", "parec"], path), process.platform !== "win32");
    assert.equal(await hasRecorder(["sox"], path), false);
    chmodSync(join(folder, "parec"), 0o644);
    assert.equal(await hasRecorder(["parec"], path), false);
    mkdirSync(join(folder, "sox"));
    assert.equal(await hasRecorder(["sox"], path), false);
    assert.equal(await hasRecorder(["parec"], ""), false);
    rmSync(folder, { recursive: true });
  });

  it("reports that no recorder was found", async () => {
    await assert.rejects(SoundRecording.start([missing], 60), (error) => {
      assert.ok(error instanceof NoRecorderError);
      return error.reason === "notFound";
    });
  });

  it("reports why no recorder worked", async () => {
    await assert.rejects(SoundRecording.start([failing, missing], 60), (error) => {
      assert.ok(error instanceof NoRecorderError);
      return error.reason === "failed" && error.details === "no soundcards found";
    });
  });
});
