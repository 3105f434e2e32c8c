// npm run screenshots: creates the README's images with the real VS Code.
import { runTool } from "./setup.mjs";

await runTool("test/screenshots.ts", ["chromium", "newest"]);
