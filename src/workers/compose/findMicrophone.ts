import { execFile } from "node:child_process";
import { parseDshowDevices } from "../../core/compose/attachments/recorders.ts";

/** Milliseconds allowed for the list. */
const listTime = 5_000;

/** The name that ffmpeg uses for the first microphone of a Windows machine; empty if none is found. */
export function findWindowsMicrophone(): Promise<string> {
  const args = ["-hide_banner", "-nostdin", "-list_devices", "true", "-f", "dshow", "-i", "dummy"];
  return new Promise((resolve) => {
    // ffmpeg lists the devices in its error output and then fails because there is no input called "dummy".
    execFile("ffmpeg", args, { timeout: listTime, windowsHide: true }, (_error, _output, listing) => {
      resolve(parseDshowDevices(listing)[0] ?? "");
    });
  });
}
