import { t } from "@vscode/l10n";
import * as v from "valibot";
import { parseJson } from "../../kernel/json.ts";
import { formatRemaining } from "../../kernel/formatTime.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { GpuFrame } from "../gpu/gpuStream.ts";
import type { GpuProcess, ServerUse } from "../gpu/serverUse.ts";
import { runtimeNames } from "./serveProbe.ts";

const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));
const words = v.pipe(
  v.string(),
  v.transform((text) => sanitizeLabel(text, 200)),
);

const servedSchema = v.object({
  serves: v.literal(1),
  /** As the rows and the profile call it. */
  name: words,
  runtime: v.picklist(["vllm", "llama.cpp", "ollama"]),
  port,
  gpus: v.array(v.number()),
  /** The memory of each of these GPUs that was in use before, in MiB. */
  usedMiB: v.array(v.number()),
  /** Of the virtual environment with the program; empty for one that is installed otherwise. */
  folder: v.string(),
});

/** What is stored with the job of a served model on its server, so that other windows and machines know it. */
export type ServedModel = Readonly<v.InferOutput<typeof servedSchema>>;

/** Undefined for a job that serves nothing. */
export function parseServedModel(details: string | undefined): ServedModel | undefined {
  if (details?.startsWith("{") !== true) return undefined;
  const parsed = v.safeParse(servedSchema, parseJson(details));
  return parsed.success ? parsed.output : undefined;
}

const linkSchema = v.object({
  /** The server: the origin of its gateway, which stays the same if its profile is renamed, and its key there. */
  gateway: v.string(),
  key: v.string(),
  model: v.string(),
  profile: v.string(),
  /** The port of the server, and the one of this machine that leads there. */
  port,
  localPort: port,
  /** The job that serves it, if it is one of ours that runs. */
  job: v.optional(v.string()),
});

/** How this machine reaches a model on a server. */
export type ModelLink = Readonly<v.InferOutput<typeof linkSchema>>;

/** Reads what was stored. */
export function parseModelLinks(value: unknown): readonly ModelLink[] {
  const parsed = v.safeParse(v.array(linkSchema), value);
  return parsed.success ? parsed.output : [];
}

/** The name without the folder and the organization: `Qwen2.5-7B-Instruct`. */
export function shortModelName(name: string): string {
  return sanitizeLabel(name.split("/").at(-1) ?? name, 80);
}

/** A short time in which a model is loaded. Later, its server only isn't known to be ready. */
const longestLoadMs = 30 * 60_000;

/** What the row of a served model says after its name. */
export function servedText(
  { gpus, runtime }: ServedModel,
  isReady: boolean,
  ageMs: number,
  use: ServerUse | undefined,
): string {
  const where =
    gpus.length === 0
      ? t("serving")
      : gpus.length === 1
        ? t("serving on GPU {0}", String(gpus[0]))
        : t("serving on GPUs {0}", gpus.join(", "));
  if (!isReady)
    return ageMs > longestLoadMs
      ? t("running for {0} with {1}", formatRemaining(ageMs), runtimeNames[runtime])
      : t("loading weights · {0}", formatRemaining(ageMs));
  const isQuiet = use?.kind === "serving" && use.hasCountedRequests && use.since !== undefined;
  if (!isQuiet) return where;
  return t("{0}, no requests for {1}", where, formatRemaining((use.measuredAt ?? 0) - (use.since ?? 0)));
}

/** MiB that drivers keep, or that other programs use a little more of meanwhile. */
const leastHeldMiB = 1_024;

/** The GPUs of a model that was stopped on which more memory is in use than before it was served, with who holds it. */
export function heldMemory(
  { gpus, usedMiB }: ServedModel,
  frame: GpuFrame | undefined,
): readonly { readonly gpu: number; readonly holders: readonly GpuProcess[] }[] {
  return gpus.flatMap((gpu, place) => {
    const now = frame?.samples.find(({ index }) => index === gpu)?.memoryUsedMiB ?? 0;
    if (now <= (usedMiB[place] ?? 0) + leastHeldMiB) return [];
    const holders = (frame?.processes ?? []).filter(
      (process) => process.gpu === gpu && process.memoryMiB !== 0,
    );
    return [{ gpu, holders }];
  });
}
