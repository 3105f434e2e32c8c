import { parseArgs } from "node:util";

/** The text of `--help`. */
export const help = `Usage: node prompts.cjs [options] FILE.prompts.yaml…

Runs prompt suites against an inference service.

  --profile-url URL     base URL of the service, with /v1 (INFERENCE_BASE_URL)
  --key-variable NAME   environment variable with the API key (INFERENCE_API_KEY)
  --model ID            run every case with this model; repeat for several
  --case TEXT           run only cases whose name contains TEXT
  --seed N              send this seed with every request
  --concurrency N       simultaneous requests, instead of the suite's setting
  --max-requests N      send nothing if the run needs more requests than this (1000)
  --prices FILE         JSON with prices, as in the setting inferenceGateway.chat.prices
  --junit FILE          write a report in JUnit format
  --resume FILE         save results to FILE, and run only what has no result there
  --accept              accept the responses; later runs are compared with them
  --quiet               print only failures and the summary

Exit code: 0 all passed, 1 a check failed, 2 the suites or options are wrong, 3 the run is incomplete.
`;

/** Something that the user has to correct before anything is sent. */
export class UsageError extends Error {}

/** The options of the command line. Throws a TypeError if one doesn't exist. */
export function readOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "profile-url": text,
      "key-variable": text,
      model: { type: "string", multiple: true },
      ...{ case: text, seed: text, concurrency: text, "max-requests": text },
      ...{ prices: text, junit: text, resume: text },
      ...{ accept: flag, quiet: flag, help: flag },
    },
  });
  return { ...values, files: positionals };
}

/** The options as typed; numbers are still text. */
export type Options = ReturnType<typeof readOptions>;

/** The number that an option has; undefined if it isn't given. Throws a UsageError. */
export function numberOf(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(`--${name} must be an integer of at least ${least}, not ${JSON.stringify(text)}.`);
}

/** The inference service that requests are sent to. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/** Throws a UsageError if the address is missing or wrong. */
export function readService(options: Options): Service {
  const baseUrl = options["profile-url"] ?? process.env["INFERENCE_BASE_URL"];
  if (baseUrl === undefined || !URL.canParse(baseUrl))
    throw new UsageError("Set --profile-url to the base URL of the inference service, with /v1.");
  const { username, password } = new URL(baseUrl);
  if (username !== "" || password !== "")
    throw new UsageError("The base URL must not contain a user name or password.");
  return { baseUrl, apiKey: process.env[options["key-variable"] ?? "INFERENCE_API_KEY"] };
}
