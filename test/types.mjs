// npm run typecheck: the types of all worlds.
import { runTool } from "./setup.mjs";

await runTool("test/types/checkTypes.ts", []);
