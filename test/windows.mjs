// npm run test:windows: runs the unit tests with Node for Windows, elsewhere under Wine.
import { runTool } from "./setup.mjs";

await runTool("test/run/windows.ts", ["windows"]);
