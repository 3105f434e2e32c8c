import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";

/** What may cure a failure: a change of the command. */
export interface ServeRemedy {
  /** A smaller context, another port, `--dtype half`, or the share of the memory that is free now. */
  readonly kind: "context" | "port" | "half" | "share";
  /** The context that is possible, if the program says so. */
  readonly tokens: number | undefined;
  /** The share of the memory that is free, if the program says so. */
  readonly share: number | undefined;
}

/**
 * What the programs print, in lower case and separated by `|`, the more particular kinds first. Sources: threads of the
 * projects.
 */
const phrases = {
  gpuBusy:
    "free memory on device|less than desired gpu memory utilization|gpus may be occupied|devices are busy or unavailable",
  context:
    "can be stored in kv cache|larger than the available kv cache memory|kv cache is not enough|is greater than the derived max_model_len|failed to allocate buffer for kv cache|is smaller than max_model_len",
  tooLarge:
    "no available memory for the cache blocks|not enough memory. please try to increase|requires more system memory",
  outOfMemory:
    "out of memory|outofmemory|unable to allocate cuda|failed to allocate cuda|outofdevicememory|status_alloc_failed",
  sharedMemory:
    "creating shared memory segment|attaching to shared memory segment|call to posix_fallocate failed|insufficient shared memory|out of shared memory",
  memoryFault: "uncorrectable ecc|ecc_uncorrectable",
  illegalAccess:
    "illegal memory access|cudaerrorillegaladdress|illegal instruction was|unspecified launch failure|device-side assert triggered|cannot re-initialize cuda",
  quantization: "does not match the quantization method|cannot find the config file for",
  nameTaken: "is already in use by container",
  packages:
    "importerror: cannot import name|undefined symbol|mismatches the version that was used to compile",
  port: "address already in use|port is already allocated|bind http server socket|is not available, please use another port",
  gated: "gated repo|gatedrepo|401 client error|403 client error|is restricted|invalid user token",
  half: "bfloat16 is only supported on gpus|bfloat16 is not supported",
  capability:
    "no kernel image is available|invalid device function|minimum capability|only supports sm|out of resource: shared memory",
  driver:
    "driver on your system is too old|driver version is insufficient|unsupported display driver|driver/library version mismatch|unsupported toolchain|please update your driver",
  toolkit: "could not select device driver|nvidia-container-cli|unknown or invalid runtime name: nvidia",
  docker: "docker daemon socket|cannot connect to the docker daemon|docker api at unix",
  denied: "permission denied",
  rateLimit: "toomanyrequests|too many requests|rate limit",
  notReady: "system not yet initialized|fabric manager",
  noGpu:
    "no cuda gpus are available|no cuda-capable device|libcuda.so|failed to infer device type|found no nvidia driver|no hip gpus are available|cuda driver initialization failed",
  // Some print all their options when they start.
  code: "`trust_remote_code=true`|`--trust-remote-code`|`trust_remote_code` to",
  disk: "no space left on device|disk quota exceeded",
  unsupported:
    "not supported for now|does not recognize this architecture|unknown model architecture|unknown quantization method|no vllm implementation|key not found in model|there is no module or parameter named|is not supported for this model",
  heads:
    "divisible by tensor parallel size|divisible by the tensor parallel|number of available gpus|invalid device ordinal",
  incomplete:
    "does not appear to have a file named|metadataincompletebuffer|invalidheaderdeserialization|cannot find any model weights|not within the file bounds|invalid magic",
  network:
    "we couldn't connect to|max retries exceeded|name resolution|certificate_verify_failed|cannot find the appropriate snapshot folder",
  option: "unrecognized arguments|invalid argument:|error: argument|unknown option|unknown flag",
  notFound:
    "command not found|: not found|no such file or directory|no module named|repository not found|file does not exist|manifest unknown|not found (required by|failed to find c compiler|executable file not found|pull access denied|can't load the configuration of",
  killed: " killed|bus error",
  connection: "nccl error|distbackenderror|diststoreerror|waiting for clients",
} as const;

type FailureKind = keyof typeof phrases;

const kinds = Object.keys(phrases).filter((name): name is FailureKind => Object.hasOwn(phrases, name));

const texts: Readonly<Record<FailureKind, () => string>> = {
  gpuBusy: () =>
    t("Other processes hold memory of the GPU. Use another GPU or a smaller share of its memory."),
  context: () => t("The context is too long for the memory of the GPU or for the model."),
  tooLarge: () => t("The weights leave no memory for the context. Use a quantized model or more GPUs."),
  outOfMemory: () => t("The GPU ran out of memory. Use a smaller context, a smaller model, or another GPU."),
  sharedMemory: () =>
    t("The shared memory (/dev/shm) is too small or full. A container gets more with --ipc=host."),
  memoryFault: () =>
    t("The memory of the GPU is faulty (ECC error). Reboot the server, and report it if that doesn't help."),
  illegalAccess: () => t("The program failed on the GPU, which is usually a bug. Try another version of it."),
  quantization: () =>
    t("The command names a quantization that the model doesn't use. Remove the option --quantization."),
  nameTaken: () =>
    t("A container with this name already exists. Remove it on the server, or use another name."),
  packages: () =>
    t("Python packages on the server are incompatible. Install the program in an environment of its own."),
  port: () => t("Another program uses the port. Use another port, or the model that runs there."),
  gated: () => t("The model's files need an account. Sign in to its hub on the server and accept its terms."),
  half: () => t("The GPU doesn't support the numbers of the model (bfloat16). Use float16 instead."),
  capability: () => t("The program wasn't built for this type of GPU."),
  driver: () =>
    t("The GPU driver of the server is too old for the program, which may use the processors instead."),
  toolkit: () => t("Containers can't use the GPUs: the NVIDIA Container Toolkit is missing or not set up."),
  docker: () => t("Your account on the server may not use Docker, or Docker isn't running."),
  denied: () => t("Your account on the server can't access a file or folder that the command needs."),
  rateLimit: () =>
    t("A hub rejects further requests for now. Sign in to it on the server, or try again later."),
  notReady: () =>
    t("The GPUs aren't ready. The server's NVIDIA Fabric Manager may not be running. Reboot the server."),
  noGpu: () => t("The program found no GPU."),
  code: () =>
    t("The model runs code of its own. If you trust its authors, add --trust-remote-code yourself."),
  disk: () => t("The disk of the server is full."),
  unsupported: () => t("The program doesn't support this model. A newer version may."),
  heads: () => t("The model can't be divided among this number of GPUs. Use another number."),
  incomplete: () => t("Files of the model are missing or damaged. A download may have been interrupted."),
  network: () => t("The server can't reach the model's hub. Check its network, or use a model on its disk."),
  option: () => t("The program doesn't know an option of the command. Its version may differ."),
  notFound: () => t("A program or a file that the command needs isn't there."),
  killed: () => t("The program was killed. The server may have run out of memory."),
  connection: () =>
    t("The processes on the GPUs lost their connection (NCCL). The log may show the cause further up."),
};

const remedies: Readonly<Partial<Record<string, ServeRemedy["kind"]>>> = {
  ...{ gpuBusy: "share", context: "context", tooLarge: "context", outOfMemory: "context" },
  ...{ port: "port", half: "half" },
};

/** The number after each of these phrases is a context that is possible. */
const possibleContexts = [
  "estimated maximum model length is",
  "stored in kv cache",
  "max_position_embeddings=",
  "model_max_length=",
];

/** The longest context that a message says is possible; undefined if it doesn't. */
function possibleContext(line: string): number | undefined {
  for (const phrase of possibleContexts) {
    const at = line.toLowerCase().indexOf(phrase);
    const digits = at === -1 ? undefined : /^\D{0,12}(\d{1,9})/.exec(line.slice(at + phrase.length))?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return undefined;
}

/** Why a model server ended. */
interface ServeFailure {
  /** Empty if the log doesn't say. */
  readonly kind: string;
  readonly text: string;
  /** The line of the log that says so; empty if there is none. */
  readonly line: string;
  readonly remedy: ServeRemedy | undefined;
}

/** UTF-16 code units of a log that are searched, from its end, and those of a line. */
const mostText = 200_000;
const longestLine = 2_000;
/** Lines between an error and the end of a log that says only that the program was killed. */
const consequences = 20;

/**
 * Explains the last known error in a log; what comes after it is usually its consequence.
 * @param exitCode Undefined if it isn't known.
 */
export function explainServeFailure(log: string, exitCode: number | undefined): ServeFailure {
  const lines = log
    .slice(-mostText)
    .split("\n")
    .map((line) => line.slice(0, longestLine))
    .filter((line) => line.trim() !== "");
  let end: ServeFailure | undefined;
  for (const [index, line] of lines.toReversed().entries()) {
    // Some kill all of their processes after an error, also the one that reports it, which the others then miss.
    if (end !== undefined && index > consequences) break;
    const lower = ` ${line.toLowerCase()}`;
    const kind = kinds.find((each) => phrases[each].split("|").some((phrase) => lower.includes(phrase)));
    if (kind !== undefined && kind !== "killed" && kind !== "connection") return found(kind, line);
    if (kind !== undefined) end ??= found(kind, line);
  }
  if (end !== undefined) return end;
  const last = sanitizeLabel(lines.at(-1) ?? "", 500);
  if (exitCode === 137) return found("killed", last);
  if (exitCode === 127) return found("notFound", last);
  const text =
    exitCode === undefined
      ? t("The program ended without an exit code.")
      : t("The program ended with exit code {0}.", String(exitCode));
  return { ...{ kind: "", text, remedy: undefined }, line: last };
}

function found(kind: FailureKind, line: string): ServeFailure {
  const [, free, total] = /\((\d{1,4}\.?\d{0,3})\/(\d{1,4}\.?\d{0,3}) GiB\)/.exec(line) ?? [];
  const share = Math.floor(((Number(free) - 1) / Number(total)) * 100) / 100;
  const facts = { tokens: possibleContext(line), share: share > 0 ? share : undefined };
  const remedy = remedies[kind];
  return {
    ...{ kind, text: texts[kind](), line: sanitizeLabel(line, 500) },
    remedy: remedy === undefined ? undefined : { kind: remedy, ...facts },
  };
}
