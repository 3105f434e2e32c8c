// npm run bench: what things cost, as ratios.
import { runTool } from "./setup.mjs";

runTool("test/bench/run.ts", ["chromium", "newest"]);
