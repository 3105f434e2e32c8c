// npm run soak: hours of use in ten minutes, after which nothing may be left behind.
import { runTool } from "./setup.mjs";

await runTool("test/soak.ts", ["chromium", "newest"]);
