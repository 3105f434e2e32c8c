// npm run gateway: starts only the local gateway.
import { runTool } from "./setup.mjs";

await runTool("test/start/localGateway.ts", []);
