// npm test: everything that must hold.
import { runTool } from "./setup.mjs";

runTool("test/run.ts", ["chromium", "newest", "oldest"]);
