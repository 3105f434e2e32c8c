import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const start = fileURLToPath(new URL("../start.ts", import.meta.url));

describe("npm start", () => {
  it("opens a window with a server list and a chat that responds", async () => {
    // Rejects with the output unless the command succeeds.
    await promisify(execFile)(process.execPath, [start, "--check", "--built"]);
  });
});
