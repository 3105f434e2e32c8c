// npm run screenshots: the images of the README, from the real VS Code.
import { runTool } from "./setup.mjs";

await runTool("test/screenshots.ts", ["chromium", "newest"]);
