// npm run package: the .vsix.
import { runTool } from "./setup.mjs";

runTool("test/package.ts", []);
