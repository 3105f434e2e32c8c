import { execFile } from "node:child_process";
import { parseDshowDevices } from "../../core/compose/attachments/recorders.ts";

/** Milliseconds that the list may take. */
const listTime = 5_000;

/** The first microphone of a Windows machine by the name that ffmpeg takes; empty if none is found. */
export function findWindowsMicrophone(): Promise<string> {
  const args = ["-hide_banner", "-nostdin", "-list_devices", "true", "-f", "dshow", "-i", "dummy"];
  return new Promise((resolve) => {
    // It lists the devices among its errors and then fails, because there is no input called "dummy".
    execFile("ffmpeg", args, { timeout: listTime, windowsHide: true }, (_error, _output, listing) => {
      resolve(parseDshowDevices(listing)[0] ?? "");
    });
  });
}
