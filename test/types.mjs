// npm run typecheck: checks the types of all projects.
import { runTool } from "./setup.mjs";

await runTool("test/types/checkTypes.ts", []);
