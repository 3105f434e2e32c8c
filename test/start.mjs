// npm start: opens the real VS Code with the extension, ready to chat. `--check` checks it in a browser and exits.
import { runTool } from "./setup.mjs";

const isCheck = process.argv.includes("--check");
await runTool("test/start.ts", isCheck ? ["chromium", "newest"] : ["window"]);
