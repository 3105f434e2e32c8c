// npm run screenshots: the pictures of the README, from the real VS Code.
import { runTool } from "./setup.mjs";

await runTool("test/screenshots.ts", ["chromium", "newest"]);
