// npm run gateway: the local gateway alone.
import { runTool } from "./setup.mjs";

runTool("src/localGateway/cli.ts", []);
