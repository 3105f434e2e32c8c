// npm run gateway: the local gateway alone.
import { runTool } from "./setup.mjs";

await runTool("src/localGateway/service/cli.ts", []);
