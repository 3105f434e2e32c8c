import { createWavFile, wavSampleRate } from "../../../core/compose/attachments/soundFacts.ts";
import { create } from "../../kit/dom.ts";

/** Audio that has become a file which models accept, or why it hasn't. */
type ConvertedAudio =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly seconds: number; readonly isVideo: boolean }
  | { readonly problem: "tooLong"; readonly seconds: number }
  | { readonly problem: "undecodable" };

/**
 * Decodes any audio that the browser knows, and the audio of a video. Its length is read first, because decoded audio
 * takes up to a hundred times as much memory as a file.
 */
export async function convertAudio(file: Blob, maxSeconds: number): Promise<ConvertedAudio> {
  try {
    const { seconds, isVideo } = await readLength(file);
    if (!Number.isFinite(seconds)) return { problem: "undecodable" };
    if (seconds > maxSeconds) return { problem: "tooLong", seconds };
    // The browser resamples to the rate of the context.
    const context = new OfflineAudioContext(1, 1, wavSampleRate);
    const audio = await context.decodeAudioData(await file.arrayBuffer());
    if (audio.length === 0) return { problem: "undecodable" };
    // The length that the file claims may be wrong.
    if (audio.duration > maxSeconds) return { problem: "tooLong", seconds: audio.duration };
    const channels = Array.from({ length: audio.numberOfChannels }, (_, index) =>
      audio.getChannelData(index),
    );
    return { bytes: createWavFile(channels), seconds: audio.duration, isVideo };
  } catch {
    return { problem: "undecodable" };
  }
}

/** The length of audio or of a video. Rejects if the browser can't read the file. */
export async function readLength(
  file: Blob,
): Promise<{ readonly seconds: number; readonly isVideo: boolean }> {
  const url = URL.createObjectURL(file);
  const player = create("video", { preload: "metadata" });
  const changed = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      player.addEventListener(name, () => resolve(), { once: true });
      player.addEventListener("error", () => reject(player.error ?? new Error("The audio is unknown.")));
    });
  try {
    const isLoaded = changed("loadedmetadata");
    player.src = url;
    await isLoaded;
    if (player.duration === Infinity) {
      // A file that was recorded live doesn't contain its length: the browser finds its end by going there.
      const isAtEnd = changed("seeked");
      player.currentTime = Number.MAX_SAFE_INTEGER;
      await isAtEnd;
    }
    return { seconds: player.duration, isVideo: player.videoWidth > 0 };
  } finally {
    player.removeAttribute("src");
    player.load();
    URL.revokeObjectURL(url);
  }
}
