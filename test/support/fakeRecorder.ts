import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A folder for PATH with a `parec` that records a tone until it is interrupted. */
export function createFakeRecorder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const script = `#!${process.execPath}
const tone = Buffer.alloc(3200);
for (let at = 0; at < tone.length; at += 2) tone.writeInt16LE(Math.round(9000 * Math.sin(at / 12)), at);
process.on("SIGINT", () => process.exit());
setInterval(() => process.stdout.write(tone), 100);
`;
  const file = join(folder, "parec");
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return folder;
}
