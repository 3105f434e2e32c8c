import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { AttachmentLimits } from "./limits.ts";

/** The audio format requested from every recorder: 16-bit little-endian samples without a header. */
export const soundFormat = { sampleRate: 16_000, channels: 1, bytesPerSample: 2 } as const;

/** Bytes of one second of recorded audio. */
export const bytesPerSecond = soundFormat.sampleRate * soundFormat.channels * soundFormat.bytesPerSample;

/**
 * A program that records from the system's microphone, and its arguments. It writes the samples to its standard output.
 */
export interface Recorder {
  readonly program: string;
  readonly args: readonly string[];
}

/** The user's settings for recording audio. */
export interface RecordingSettings {
  readonly limits: AttachmentLimits;
  /** The name that the recorder uses; empty for the system default. */
  readonly device: string;
  readonly maxSeconds: number;
}

/**
 * The programs that can record on a platform (as Node names it), best first. `device` is a name as that program uses
 * it; empty means the system default. On Windows nothing can record from the default, because the only recorder
 * requires a device name.
 */
export function recordersFor(platform: string, device: string): readonly Recorder[] {
  const rate = String(soundFormat.sampleRate);
  if (platform === "win32") {
    return device === "" ? [] : [ffmpeg(["-f", "dshow", "-i", `audio=${device}`])];
  }
  const sox = ["-t", "raw", "-r", rate, "-e", "signed-integer", "-b", "16", "-c", "1", "-L", "-"];
  if (platform === "darwin") {
    const source = device === "" ? ["-d"] : ["-t", "coreaudio", device];
    return [
      { program: "sox", args: ["-q", ...source, ...sox] },
      ffmpeg(["-f", "avfoundation", "-i", `:${device === "" ? "default" : device}`]),
    ];
  }
  return [
    {
      program: "parec",
      args: [
        ...option("--device", device),
        "--format=s16le",
        `--rate=${rate}`,
        "--channels=1",
        "--latency-msec=100",
      ],
    },
    {
      program: "pw-record",
      args: [...option("--target", device), "--raw", "--format=s16", `--rate=${rate}`, "--channels=1", "-"],
    },
    {
      program: "arecord",
      args: [
        "-q",
        ...(device === "" ? [] : ["-D", device]),
        "-t",
        "raw",
        "-f",
        "S16_LE",
        "-r",
        rate,
        "-c",
        "1",
      ],
    },
    { program: "sox", args: ["-q", ...(device === "" ? ["-d"] : ["-t", "alsa", device]), ...sox] },
    ffmpeg(["-f", "pulse", "-i", device === "" ? "default" : device]),
    ffmpeg(["-f", "alsa", "-i", device === "" ? "default" : device]),
  ];
}

function ffmpeg(input: readonly string[]): Recorder {
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin"];
  const output = ["-ac", "1", "-ar", String(soundFormat.sampleRate), "-f", "s16le", "pipe:1"];
  return { program: "ffmpeg", args: [...quiet, ...input, ...output] };
}

/** As one argument, so that a device whose name begins with a dash isn't taken for an option. */
function option(name: string, value: string): readonly string[] {
  return value === "" ? [] : [`${name}=${value}`];
}
/** The microphones that ffmpeg lists on Windows (`-list_devices true -f dshow`), by the names that it accepts. */
export function parseDshowDevices(listing: string): readonly string[] {
  const names: string[] = [];
  let isAudioSection = false;
  for (const line of listing.split(/\r?\n/)) {
    if (/DirectShow (?:audio|video) devices/.test(line)) isAudioSection = line.includes("DirectShow audio");
    if (line.includes("Alternative name")) continue;
    const [, name, kind] = /"([^"]+)"(?: \((audio|video|none)[^)]*\))?/.exec(line) ?? [];
    if (name !== undefined && (kind === undefined ? isAudioSection : kind === "audio")) names.push(name);
  }
  return names;
}

/**
 * Explains that recording isn't possible because no program for it was found. `remoteName` names the machine if it
 * isn't the user's own.
 */
export function noRecorder(programs: readonly string[], remoteName: string | undefined): string {
  const looked = [...new Set(programs)].join(", ");
  return remoteName === undefined
    ? t("No recorder was found. Install one of {0}, or attach a WAV or MP3 file.", looked)
    : t(
        "Recording happens on the machine that runs the extension ({0}), and no recorder was found there ({1}). Attach a WAV or MP3 file instead.",
        sanitizeLabel(remoteName, 60),
        looked,
      );
}

/** `details` is the recorder's error output. */
export function failedRecorder(details: string, remoteName: string | undefined): string {
  const words = sanitizeLabel(details, 200);
  const sentence =
    remoteName === undefined
      ? t("Couldn't record. Is a microphone connected?")
      : t(
          "Couldn't record. Recording happens on the machine that runs the extension ({0}). Does it have a microphone?",
          sanitizeLabel(remoteName, 60),
        );
  return words === "" ? sentence : t("{0} Message from the recorder: {1}", sentence, words);
}

/** The sentence for a recording without any sound. */
export function silentRecording(): string {
  return t("Only silence was recorded. Check the microphone and whether VS Code is allowed to use it.");
}

/** The sentence for a recording without any data. */
export function emptyRecording(): string {
  return t("Nothing was recorded because the recording was stopped too soon.");
}

/** Shown while recording on a machine other than the user's. */
export function remoteRecording(remoteName: string): string {
  return t(
    "Audio is recorded on the machine that runs the extension ({0}), not on your local machine.",
    sanitizeLabel(remoteName, 60),
  );
}
