// npm start: the real VS Code with the extension, ready to chat. `--check` looks at it in a browser and ends.
import { runTool } from "./setup.mjs";

const isCheck = process.argv.includes("--check");
await runTool("test/start.ts", isCheck ? ["chromium", "newest"] : ["window"]);
