// npm run bench: measures costs as ratios.
import { runTool } from "./setup.mjs";

await runTool("test/bench/run.ts", ["chromium", "newest", "alternatives"]);
