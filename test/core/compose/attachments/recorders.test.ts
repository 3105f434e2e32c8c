import assert from "node:assert/strict";
import {
  recordersFor,
  parseDshowDevices,
  failedRecorder,
  noRecorder,
} from "../../../../src/core/compose/attachments/recorders.ts";
import { readSeconds, createWavFile, isSilent } from "../../../../src/core/compose/attachments/soundFacts.ts";

describe("Audio recorders", () => {
  const programs = (platform: string, device = ""): readonly string[] =>
    recordersFor(platform, device).map(({ program }) => program);

  it("are chosen by platform", () => {
    assert.deepEqual(programs("linux"), ["parec", "pw-record", "arecord", "sox", "ffmpeg", "ffmpeg"]);
    assert.deepEqual(programs("darwin"), ["sox", "ffmpeg"]);
    assert.deepEqual(programs("win32", "Microphone"), ["ffmpeg"]);
  });

  it("require the name of the microphone on Windows", () => assert.deepEqual(programs("win32"), []));

  it("receive the device name as a single argument, whatever it contains", () => {
    const device = '--file=/etc/passwd "; rm -rf /';
    for (const platform of ["linux", "darwin", "win32"]) {
      for (const { args } of recordersFor(platform, device)) {
        assert.equal(args.filter((argument) => argument.includes(device)).length, 1, args.join(" | "));
      }
    }
  });

  it("all produce the same sample format", () => {
    for (const { program, args } of [...recordersFor("linux", ""), ...recordersFor("darwin", "")]) {
      assert.match(args.join(" "), /16000/, program);
      assert.match(args.join(" "), /s16le|S16_LE|--format=s16|signed-integer -b 16 -c 1 -L/, program);
    }
  });

  it("are named in the error if none is found, with the machine if it is remote", () => {
    assert.equal(
      noRecorder(["sox", "ffmpeg", "ffmpeg"], undefined),
      "No recorder was found. Install one of sox, ffmpeg, or attach a WAV or MP3 file.",
    );
    assert.match(noRecorder(["sox"], "ssh-remote"), /on the machine that runs the extension \(ssh-remote\)/);
    assert.match(
      failedRecorder("arecord: no soundcards\nfound", undefined),
      /Message from the recorder: arecord: no soundcards found/,
    );
  });
});

describe("A recording's file", () => {
  it("is a wav with the length of the samples", () => {
    const file = createWavFile([new Uint8Array(20_001).fill(1), new Uint8Array(12_000).fill(2)]);
    assert.equal(readSeconds("wav", file), 1);
    assert.equal(file.length, 44 + 32_000);
    assert.equal(file.at(-1), 2);
  });

  it("is silent if every sample is zero", () => {
    assert.equal(isSilent([new Uint8Array(100), new Uint8Array(2)]), true);
    assert.equal(isSilent([new Uint8Array(100), new Uint8Array([0, 1])]), false);
  });
});

describe("The microphones of a Windows machine", () => {
  it("are read from the output of current recorder versions", () => {
    const listing = [
      '[dshow @ 0001] "USB Camera" (video)',
      '[dshow @ 0001]   Alternative name "@device_pnp_1"',
      '[dshow @ 0001] "Microphone (Realtek Audio)" (audio)',
      '[dshow @ 0001]   Alternative name "@device_cm_2"',
      "dummy: Immediate exit requested",
    ].join("\r\n");
    assert.deepEqual(parseDshowDevices(listing), ["Microphone (Realtek Audio)"]);
  });

  it("are read from the output of older recorder versions", () => {
    const listing = [
      "[dshow @ 0001] DirectShow video devices (some may be both video and audio devices)",
      '[dshow @ 0001]  "USB Camera"',
      "[dshow @ 0001] DirectShow audio devices",
      '[dshow @ 0001]  "Mikrofon"',
    ].join("\n");
    assert.deepEqual(parseDshowDevices(listing), ["Mikrofon"]);
  });
});
