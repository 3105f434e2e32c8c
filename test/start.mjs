// npm start: the real VS Code with the extension, ready to chat.
import { runTool } from "./setup.mjs";

runTool("test/start.ts", ["newest"]);
