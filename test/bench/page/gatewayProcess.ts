import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../../start/localGateway.ts", import.meta.url));

/** A local gateway in a separate process, as started by `npm run gateway`. */
export interface GatewayProcess {
  readonly inferenceBaseUrl: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

export async function startGatewayProcess(tokensPerSecond: number): Promise<GatewayProcess> {
  const gateway = spawn(process.execPath, [cli, "--quiet", "--tokens-per-second", String(tokensPerSecond)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Also if the benchmark fails before it stops the gateway.
  process.once("exit", () => gateway.kill());
  const told = new Map<string, string>();
  for await (const line of createInterface(gateway.stdout)) {
    const [name = "", ...value] = line.split("=");
    told.set(name, value.join("="));
    if (told.has("inferenceBaseUrl") && told.has("apiKey")) break;
  }
  return {
    inferenceBaseUrl: told.get("inferenceBaseUrl") ?? "",
    apiKey: told.get("apiKey") ?? "",
    stop: async () => {
      const ended = once(gateway, "exit");
      gateway.kill("SIGINT");
      await ended;
    },
  };
}
