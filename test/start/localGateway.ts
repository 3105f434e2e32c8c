import { parseArgs } from "node:util";
import { defaultOptions } from "../../src/localGateway/kernel/options.ts";
import { startLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";

const help = `Usage: npm run gateway -- [options]

  --port N                listen on this port (any free one)
  --seed N                the same responses and servers every time
  --tokens-per-second N   speed of the demo models, 0 for as fast as possible (${defaultOptions.tokensPerSecond})
  --servers N             how many GPU servers there are (${defaultOptions.serverCount})
  --clock-offset SECONDS  a server clock that is ahead by this many seconds
  --quiet                 print only the two addresses and the credentials
`;

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    seed: { type: "string" },
    "tokens-per-second": { type: "string" },
    servers: { type: "string" },
    "clock-offset": { type: "string" },
    quiet: { type: "boolean" },
    help: { type: "boolean" },
  },
});

/** Undefined if the flag is missing. Exits with an error message if its value isn't a number. */
function numberFlag(
  name: "port" | "seed" | "tokens-per-second" | "servers" | "clock-offset",
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  console.error(`--${name} needs a number, not ${JSON.stringify(text)}.`);
  process.exit(1);
}

async function start(): Promise<RunningLocalGateway> {
  return startLocalGateway({
    port: numberFlag("port") ?? defaultOptions.port,
    seed: numberFlag("seed"),
    tokensPerSecond: numberFlag("tokens-per-second") ?? defaultOptions.tokensPerSecond,
    serverCount: numberFlag("servers") ?? defaultOptions.serverCount,
    clockOffsetMs: (numberFlag("clock-offset") ?? 0) * 1000,
  });
}

/** One `NAME=value` per line, for scripts. */
function describeBriefly({ inferenceBaseUrl, gatewayUrl, credentials }: RunningLocalGateway): string {
  return Object.entries({ inferenceBaseUrl, gatewayUrl, ...credentials })
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

function describe({ inferenceBaseUrl, gatewayUrl, credentials }: RunningLocalGateway): string {
  return `Local gateway
  Inference base URL  ${inferenceBaseUrl}
  Gateway URL         ${gatewayUrl}

Throw-away credentials, good for this run only
  API key             ${credentials.apiKey}
  Access Key          ${credentials.accessKey}
  API Secret          ${credentials.apiSecret}
  Session token       ${credentials.sessionToken}
  STS token           ${credentials.stsToken}

Try it
  curl -N ${inferenceBaseUrl}/chat/completions -H 'Authorization: Bearer ${credentials.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"demo-lab/server-guide","stream":true,"messages":[{"role":"user","content":"Which servers are idle?"}]}'
  curl ${gatewayUrl}/gpu/api/v1/servers -H 'Authorization: ${credentials.sessionToken}'

Ctrl+C stops it.`;
}

if (values.help === true) console.log(help);
else {
  try {
    const gateway = await start();
    process.once("SIGINT", () => void gateway.stop().then(() => process.exit(0)));
    process.once("SIGTERM", () => void gateway.stop().then(() => process.exit(0)));
    console.log(values.quiet === true ? describeBriefly(gateway) : describe(gateway));
  } catch (error) {
    console.error(error instanceof Error ? error.message : "The local gateway could not be started.");
    process.exitCode = 1;
  }
}
