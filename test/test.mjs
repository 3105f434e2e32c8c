// npm test: everything that must hold.
import { runTool } from "./setup.mjs";

await runTool("test/run.ts", ["chromium", "newest", "oldest", "desktop"]);
