import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ContentPart } from "../../../../src/core/conversation/completion.ts";
import { wavBytes } from "../../../support/localGatewayMedia.ts";
import { give, testFile } from "../../../support/giveFiles.ts";
import type { TestFile } from "../../../support/giveFiles.ts";
import { openAttachmentComposer } from "../../support/attachmentComposer.ts";

/** One of the sounds: a tone of 440 Hz that lasts a second, unless it is called something else; the long ones are silent. */
function sound(name: string): TestFile {
  return testFile(name, "", readFileSync(new URL(`../../../fixtures/sounds/${name}`, import.meta.url)));
}

/** What a WAV file with 16-bit samples sounds like. */
function listen(part: ContentPart | undefined) {
  assert.ok(part?.type === "audio" && part.format === "wav");
  const file = Buffer.from(part.data, "base64");
  assert.equal(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16), "RIFFWAVEfmt ");
  assert.equal(file.readUInt32LE(4), file.length - 8);
  assert.deepEqual([file.readUInt16LE(20), file.readUInt16LE(34)], [1, 16]);
  assert.equal(file.readUInt32LE(40), file.length - 44);
  const samples = Array.from({ length: (file.length - 44) / 2 }, (_, index) =>
    file.readInt16LE(44 + 2 * index),
  );
  const seconds = samples.length / file.readUInt32LE(24);
  // Encoders add a little silence.
  const isLoud = (sample: number): boolean => Math.abs(sample) > 500;
  const loud = samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
  const crossings = loud.filter((sample, index) => sample < 0 !== (loud[index - 1] ?? sample) < 0).length;
  const hertz = (crossings / 2 / loud.length) * file.readUInt32LE(24);
  return { seconds, hertz, channels: file.readUInt16LE(22), rate: file.readUInt32LE(24) };
}

function assertIsTone(part: ContentPart | undefined, name: string): void {
  const { seconds, hertz, channels, rate } = listen(part);
  assert.deepEqual([channels, rate], [1, 16_000]);
  assert.ok(seconds > 0.95 && seconds < 1.1, `${name} lasts ${seconds} s`);
  assert.ok(hertz > 430 && hertz < 450, `${name} has ${hertz} Hz`);
}

describe("Audio files in the composer", () => {
  const composer = openAttachmentComposer();
  const { item, box, remark, sent, tray } = composer;

  for (const name of ["tone.ogg", "tone.opus", "tone.flac", "tone.webm"])
    it(`become files that models accept, and sound the same: ${name}`, async () => {
      await give(box(), "drop", [sound(name)]);
      await item(name)
        .getByText(/0:01 · wav/)
        .waitFor();
      await item(name).getByRole("button", { name: "Play" }).waitFor();
      const [part] = await sent();
      assert.equal(part?.title, name);
      assertIsTone(part, name);
      assert.equal(await composer.page.locator(".remarks p").count(), 0);
    });

  for (const name of ["tone.m4a", "tone.aac"])
    it(`are converted if this browser can decode them, and explained otherwise: ${name}`, async () => {
      const type = name.endsWith("m4a") ? 'audio/mp4; codecs="mp4a.40.2"' : "audio/aac";
      const canDecode = await composer.page.evaluate(
        (wanted) => document.createElement("audio").canPlayType(wanted) !== "",
        type,
      );
      await give(box(), "drop", [sound(name)]);
      if (canDecode) {
        await item(name).waitFor();
        return assertIsTone((await sent())[0], name);
      }
      await remark(`${name} can't be decoded. Attach audio as WAV, MP3, Ogg, FLAC, or WebM.`).waitFor();
      assert.equal(await tray().count(), 0);
    });

  it("are attached with a button that also names the extension for dictation", async () => {
    const button = composer.page.getByRole("button", { name: /^Attach files\./ });
    assert.match((await button.getAttribute("title")) ?? "", /To dictate, use the VS Code Speech extension/);
    // Screen readers read the title after the name, and none of it twice.
    assert.doesNotMatch((await button.getAttribute("aria-label")) ?? "", /dictate/);
  });

  it("can be the audio of a video, which is reported", async () => {
    await give(box(), "drop", [sound("film.webm")]);
    await remark("Only the audio of film.webm is sent.").waitFor();
    assertIsTone((await sent())[0], "film.webm");
  });

  it("may be as long as their converted files are allowed to be large", async () => {
    await give(box(), "drop", [sound("314-seconds.flac")]);
    await remark("314-seconds.flac is too long: 5:14 (maximum 5:12).").waitFor();
    assert.equal(await tray().count(), 0);
    await give(box(), "drop", [sound("312-seconds.flac")]);
    await item("312-seconds.flac")
      .getByText(/5:12 · wav/)
      .waitFor();
    const [part] = await sent();
    assert.equal(listen(part).seconds, 312);
  });

  it("are explained if they are damaged or contain no audio", async () => {
    const damaged = Buffer.concat([Buffer.from("OggS\0"), Buffer.alloc(200, 7)]);
    await give(box(), "drop", [testFile("damaged.ogg", "", damaged)]);
    await remark(/^damaged\.ogg can't be decoded/).waitFor();
    await give(box(), "drop", [testFile("next.wav", "", wavBytes(1, 8000))]);
    await item("next.wav").waitFor();
    assert.equal((await sent()).length, 1);
  });
});
