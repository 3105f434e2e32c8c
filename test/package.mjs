// npm run package: builds the .vsix.
import { runTool } from "./setup.mjs";

await runTool("test/package.ts", []);
