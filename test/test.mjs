// npm test: runs all checks.
import { runTool } from "./setup.mjs";

await runTool("test/run.ts", ["chromium", "newest", "oldest", "desktop"]);
