import { t } from "@vscode/l10n";
import { decodeUtf8 } from "../../kernel/base64.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { isRecord, numberField } from "../../kernel/json.ts";
import type { GpuSample } from "../gpu/gpuReadings.ts";
import type { GpuProcess } from "../gpu/serverUse.ts";

/** What the memory for the context of a model depends on. */
export interface ModelShape {
  /** Bytes of the key-value cache per token with 16-bit values. Undefined if the model doesn't say. */
  readonly bytesPerToken: number | undefined;
  /** Whether the cache can be smaller, for example because attention is limited to a window. */
  readonly isAtMost: boolean;
  /** The most tokens that the model was made for. */
  readonly maxContext: number | undefined;
  /** Attention heads, which GPUs share evenly. */
  readonly heads: number | undefined;
}

/** Nothing is known about the model. */
export const unknownShape: ModelShape = {
  ...{ bytesPerToken: undefined, isAtMost: false, maxContext: undefined, heads: undefined },
};

/** Reads `config.json` of a model. A model for images has the one for text inside. */
export function shapeOfConfig(config: unknown): ModelShape {
  if (!isRecord(config)) return unknownShape;
  const text = ["text_config", "llm_config", "language_config"].map((name) => config[name]).find(isRecord);
  const at = (name: string): number | undefined => {
    const value = (text === undefined ? undefined : numberField(text, name)) ?? numberField(config, name);
    return value !== undefined && value > 0 ? value : undefined;
  };
  const heads = at("num_attention_heads");
  const hidden = at("hidden_size");
  const width = at("head_dim") ?? (heads === undefined || hidden === undefined ? undefined : hidden / heads);
  const latent = at("kv_lora_rank");
  const window = at("sliding_window") !== undefined && (text ?? config)["use_sliding_window"] !== false;
  return {
    bytesPerToken: cacheBytes(at("num_hidden_layers"), at("num_key_value_heads") ?? heads, width),
    isAtMost: window || latent !== undefined,
    maxContext: at("max_position_embeddings"),
    heads,
  };
}

/** A key and a value of two bytes for each number of a head, in each layer. */
function cacheBytes(layers = 0, kvHeads = 0, keyWidth = 0, valueWidth = keyWidth): number | undefined {
  const bytes = 2 * layers * kvHeads * (keyWidth + valueWidth);
  return bytes > 0 && Number.isFinite(bytes) ? bytes : undefined;
}

/** Bytes of each type of value in a GGUF file, by its number. Strings and lists have a length of their own. */
const ggufWidths = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];

/** Reads the beginning of a GGUF file in hexadecimal digits, as far as it goes. */
export function shapeOfGguf(hex: string): ModelShape {
  const bytes = new Uint8Array((hex.match(/[\da-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16)));
  const view = new DataView(bytes.buffer);
  const found = new Map<string, number>();
  let at = 24;
  const isText = bytes.length > at && hex.startsWith("47475546") && view.getUint32(4, true) >= 2;
  const size = (): number => Number(view.getBigUint64((at += 8) - 8, true));
  try {
    while (isText) {
      const length = size();
      const name = decodeUtf8(bytes.subarray(at, (at += length)));
      const type = view.getUint32((at += 4) - 4, true);
      if (type === 4 || type === 5) found.set(name.replace(/^[^.]*\./, ""), view.getUint32(at, true));
      const kind = type === 9 ? view.getUint32((at += 4) - 4, true) : type;
      const width = ggufWidths[kind];
      if (width === undefined || kind === 9) break;
      const count = type === 9 ? size() : 1;
      // A list of tags, which come before what is looked for.
      for (let left = kind === 8 ? count : 0; left > 0; left--) at = size() + at;
      at += width * count;
    }
  } catch {
    // The rest of the file isn't here.
  }
  const heads = found.get("attention.head_count");
  const kvHeads = found.get("attention.head_count_kv") ?? heads;
  const width = (found.get("embedding_length") ?? 0) / (heads ?? Infinity);
  const [key = width, value = width] = [
    found.get("attention.key_length"),
    found.get("attention.value_length"),
  ];
  return {
    bytesPerToken: cacheBytes(found.get("block_count"), kvHeads, key, value),
    isAtMost: found.has("attention.sliding_window") || found.has("attention.kv_lora_rank"),
    maxContext: found.get("context_length"),
    heads,
  };
}

/** The words of the estimate. */
type Verdict = "fits" | "tight" | "tooLarge" | "unknown";

/** An estimate of whether a model can be served, and how. Memory is in GiB. */
export interface ModelFit {
  readonly verdict: Verdict;
  /** The numbers of the GPUs that it would use; empty for the processors. */
  readonly gpus: readonly number[];
  /** Free memory on each of them, at least. */
  readonly free: number;
  /** What it needs on each of them, with the context. */
  readonly needs: number;
  readonly context: number;
  /** The part of the memory of each GPU that vLLM takes at once. */
  readonly utilization: number;
}

const gib = 2 ** 30;
/** GiB on each GPU beside the weights and the context: of the driver, of what a layer computes, and of graphs. */
const [leastOverhead, usualOverhead] = [1.5, 3];
/** Without a wish of the user, a context isn't larger: llama.cpp reserves all of it. */
const usualContext = 32_768;
const leastContext = 2_048;
/** A context that a chat with files needs. Below, the model fits only tightly. */
const comfortableContext = 8_192;
/** More memory per GPU when several share a model. */
const sharing = 1.05;

/** A GPU that the model can use. */
interface Room {
  readonly index: number;
  readonly free: number;
  readonly total: number;
}

/** The GPUs whose memory is known. One that is split into instances can't be used as a whole. */
function roomsOf(samples: readonly GpuSample[]): readonly Room[] {
  return samples
    .flatMap(({ index, memoryUsedMiB: used, memoryTotalMiB: total, instances, isLost }) =>
      used === undefined || total === undefined || instances !== undefined || isLost === true
        ? []
        : [{ index, free: (total - used) / 1_024, total: total / 1_024 }],
    )
    .toSorted((first, second) => second.free - first.free || first.index - second.index);
}

/**
 * Whether the weights fit, with which context, and on the fewest GPUs.
 * @param bytes Of the files with the weights.
 * @param memoryGib Available to the processors, if the server has no GPU.
 */
export function fitModel(
  bytes: number,
  shape: ModelShape,
  samples: readonly GpuSample[],
  memoryGib: number | undefined,
): ModelFit {
  const rooms = roomsOf(samples);
  if (rooms.length === 0) {
    const isGpuServer = samples.length > 0;
    const free = isGpuServer ? undefined : memoryGib;
    return fitOn([{ index: -1, free: free ?? 0, total: free ?? 0 }], bytes, shape, free === undefined);
  }
  const counts = [1, 2, 4, 8].filter(
    (count) => count <= rooms.length && (count === 1 || (shape.heads ?? count) % count === 0),
  );
  const fits = counts.map((count) => fitOn(rooms.slice(0, count), bytes, shape, false));
  const best =
    fits.find(({ verdict }) => verdict === "fits") ?? fits.find(({ verdict }) => verdict === "tight");
  const [one] = fits;
  return best ?? fits.at(-1) ?? one ?? fitOn([], bytes, shape, true);
}

function fitOn(rooms: readonly Room[], bytes: number, shape: ModelShape, isUnknown: boolean): ModelFit {
  const count = Math.max(1, rooms.length);
  const free = Math.min(...rooms.map((room) => room.free));
  const share = Math.min(...rooms.map((room) => (room.free - 1) / room.total));
  const utilization = Math.max(0, Math.floor(Math.min(0.9, share) * 100) / 100);
  // vLLM takes no more than this part, and on the processors some memory must be left for the rest.
  const usable = Math.min(...rooms.map((room) => Math.min(room.free, utilization * room.total)));
  const weights = ((bytes / gib) * (count === 1 ? 1 : sharing)) / count;
  const perToken = (shape.bytesPerToken ?? 0) / gib / count;
  const most = Math.min(shape.maxContext ?? usualContext, usualContext);
  const room = usable - weights - leastOverhead;
  const held = perToken === 0 ? most : Math.floor(room / perToken / 1_024) * 1_024;
  const context = Math.max(Math.min(leastContext, most), Math.min(most, held));
  const needs = weights + leastOverhead + perToken * context;
  const isTight =
    context < Math.min(comfortableContext, most) || weights + usualOverhead + perToken * context > usable;
  const verdict = isUnknown ? "unknown" : needs > usable ? "tooLarge" : isTight ? "tight" : "fits";
  const gpus = rooms.flatMap(({ index }) => (index < 0 ? [] : [index]));
  return { verdict, gpus: gpus.toSorted((a, b) => a - b), free, needs, context, utilization };
}

/** `14.2 GiB`. */
export function gibText(value: number): string {
  return t("{0} GiB", formatNumber(value, undefined, { maximumFractionDigits: value < 99.95 ? 1 : 0 }));
}

/**
 * `fits (71 GiB free on GPU 7)`, or who holds the memory that is missing. Always an estimate.
 * @param isAtMost Whether the model may need less.
 */
export function fitText(
  { verdict, gpus, free, needs }: ModelFit,
  holders: readonly GpuProcess[],
  isAtMost: boolean,
): string {
  if (verdict === "unknown") return t("free memory unknown");
  const where =
    gpus.length === 0
      ? t("{0} of memory available", gibText(free))
      : gpus.length === 1
        ? t("{0} free on GPU {1}", gibText(free), String(gpus[0]))
        : t("{0} free on each of GPUs {1}", gibText(free), gpus.join(", "));
  if (verdict === "fits") return t("fits ({0})", where);
  const held = holders.filter(
    ({ gpu, memoryMiB }) => gpu !== undefined && gpus.includes(gpu) && memoryMiB !== 0,
  );
  const [largest] = held.toSorted((one, other) => (other.memoryMiB ?? 0) - (one.memoryMiB ?? 0));
  const who = largest === undefined ? "" : holderText(largest);
  const facts = who === "" ? where : `${where}; ${who}`;
  const needed = isAtMost ? t("at most {0}", gibText(needs)) : t("about {0}", gibText(needs));
  return verdict === "tight"
    ? t("tight: needs {0} ({1})", needed, facts)
    : t("too large: needs {0} ({1})", needed, facts);
}

/** `train.py of alice holds 70 GiB`. */
export function holderText({ pid, name, user, isOwn, memoryMiB }: GpuProcess): string {
  const what = name ?? t("process {0}", String(pid));
  const whose = isOwn || user === undefined ? what : t("{0} of {1}", what, user);
  return memoryMiB === undefined
    ? t("{0} holds memory", whose)
    : t("{0} holds {1}", whose, gibText(memoryMiB / 1_024));
}
