// npm run bench: what things cost, as ratios.
import { runTool } from "./setup.mjs";

await runTool("test/bench/run.ts", ["chromium", "newest"]);
