// npm run gateway: starts only the local gateway.
import { runTool } from "./setup.mjs";

await runTool("src/localGateway/service/cli.ts", []);
