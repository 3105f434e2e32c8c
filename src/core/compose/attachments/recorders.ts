import type { AttachmentLimits } from "./limits.ts";

/** The sound that every recorder is asked for: 16-bit little-endian samples without a header. */
export const soundFormat = { sampleRate: 16_000, channels: 1, bytesPerSample: 2 } as const;

export const bytesPerSecond = soundFormat.sampleRate * soundFormat.channels * soundFormat.bytesPerSample;

/** A program that records the system's microphone, and its arguments; it writes the samples to its output. */
export interface Recorder {
  readonly program: string;
  readonly args: readonly string[];
}

export interface RecordingSettings {
  readonly limits: AttachmentLimits;
  /** As the recorder knows it; empty for the system's own choice. */
  readonly device: string;
  readonly maxSeconds: number;
}

/**
 * What can record on a platform (as Node names it), the best first. `device` is a name as that program knows it; empty
 * means the system's own choice. Windows has none, because its only recorder requires a device name.
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

/** In one argument, so that a device whose name begins with a dash isn't taken for an option. */
function option(name: string, value: string): readonly string[] {
  return value === "" ? [] : [`${name}=${value}`];
}
