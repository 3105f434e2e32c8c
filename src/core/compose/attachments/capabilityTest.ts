import { t } from "@vscode/l10n";
import type {
  CompletionEvent,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
  ContentPart,
  Model,
} from "../../conversation/completion.ts";
import { ServiceError } from "../../kernel/errors.ts";
import { isRecord, parseJson } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { createWavFile } from "./soundFacts.ts";

/** What one of the requests found out; `unknown` if it failed for another reason. */
type ProbeResult = "yes" | "no" | "unknown";

/** A PNG image with 32 × 32 red pixels: some services refuse smaller ones. */
const redSquare =
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKElEQVR4nO3NsQ0AAAzCMP5/un0CNkuZ41wybXsHAAAAAAAAAAAAxR4yw/wuPL6QkAAAAABJRU5ErkJggg==";
/** Bytes of a quarter of a second of silence. */
const silenceBytes = 8_000;
/** Enough for a tool call, even after a little reasoning. */
const maxTokens = 200;

const reportColor = {
  name: "report_color",
  description: "Reports a color.",
  parameters: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
};

interface Probe {
  readonly label: () => string;
  readonly text: string;
  readonly part?: (encodeBase64: (bytes: Uint8Array) => string) => ContentPart;
  readonly parameters?: JsonObject;
  /** Whether the response shows that the model has understood the request. Without it, any response does. */
  isUsed?(events: readonly CompletionEvent[]): boolean;
}

const probes = {
  image: {
    label: () => t("image input"),
    text: "What color is this image? Reply with one word.",
    part: () => ({ type: "image", mediaType: "image/png", data: redSquare }),
  },
  audio: {
    label: () => t("audio input"),
    text: "Is there speech in this recording? Reply with one word.",
    part: (encodeBase64) => ({
      type: "audio",
      format: "wav",
      data: encodeBase64(createWavFile([new Uint8Array(silenceBytes)])),
    }),
  },
  tools: {
    label: () => t("tools"),
    text: "Report the color red with the tool.",
    parameters: { tools: [{ type: "function", function: reportColor }] },
    isUsed: (events) => events.some(({ type }) => type === "toolCall"),
  },
  schema: {
    label: () => t("JSON schema"),
    text: "Name a color.",
    parameters: {
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "color",
          strict: true,
          schema: { ...reportColor.parameters, additionalProperties: false },
        },
      },
    },
    isUsed: (events) => {
      const value = parseJson(events.map((event) => (event.type === "text" ? event.text : "")).join(""));
      return isRecord(value) && typeof value["color"] === "string";
    },
  },
} as const satisfies Readonly<Record<string, Probe>>;

type TestedCapability = keyof typeof probes;

/** What a test has found out about a model, and when. */
export type CapabilityFindings = Readonly<Record<TestedCapability, ProbeResult>> & {
  /** Milliseconds since 1970. */
  readonly testedAt: number;
};

const names: readonly TestedCapability[] = ["image", "audio", "tools", "schema"];

/** The number of requests that a test sends. */
export const testRequestCount = names.length;

interface CapabilityTestOptions {
  readonly model: string;
  readonly completions: CompletionPort;
  /** Milliseconds since 1970. */
  now(): number;
  encodeBase64(bytes: Uint8Array): string;
}

/** A test in progress. */
interface CapabilityTest {
  /**
   * Undefined if the test was stopped. Rejects with a ServiceError if the service refuses requests for a reason that
   * has nothing to do with them, such as a wrong key.
   */
  readonly findings: Promise<CapabilityFindings | undefined>;
  stop(): void;
}

/** Sends a small request for each capability, one after the other. */
export function testCapabilities(options: CapabilityTestOptions): CapabilityTest {
  let run: CompletionRun | undefined;
  let isStopped = false;
  async function test(): Promise<CapabilityFindings | undefined> {
    const findings: Record<TestedCapability, ProbeResult> = {
      image: "unknown",
      audio: "unknown",
      tools: "unknown",
      schema: "unknown",
    };
    for (const name of names) {
      run = options.completions.complete(probeRequest(probes[name], options), { purpose: "capabilityTest" });
      findings[name] = await readFinding(run, probes[name]);
      if (isStopped) return undefined;
    }
    return { ...findings, testedAt: options.now() };
  }
  return {
    findings: test(),
    stop() {
      isStopped = true;
      run?.stop();
    },
  };
}

function probeRequest(probe: Probe, { model, encodeBase64 }: CapabilityTestOptions): CompletionRequest {
  const part = probe.part?.(encodeBase64);
  const content = part === undefined ? probe.text : [{ type: "text", text: probe.text } as const, part];
  const parameters = { max_tokens: maxTokens, ...probe.parameters };
  return { model, messages: [{ role: "user", content }], stream: true, parameters };
}

/** Reasons for which a service rejects a request because of what is in it. */
const rejections: ReadonlySet<string> = new Set(["badRequest", "unsupportedParameter", "notFound"]);

async function readFinding(run: CompletionRun, probe: Probe): Promise<ProbeResult> {
  const events: CompletionEvent[] = [];
  try {
    for await (const event of run.events) events.push(event);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (rejections.has(error.reason)) return "no";
    if (events.length === 0 && !isPassing(error)) throw error;
    return "unknown";
  }
  if (events.length === 0) return "unknown";
  return probe.isUsed?.(events) === false ? "no" : "yes";
}

/** Whether the service may respond to the next request. Some services fail on input that the model doesn't support. */
function isPassing({ reason }: ServiceError): boolean {
  return (
    reason === "unavailable" || reason === "service" || reason === "malformed" || reason === "contentFilter"
  );
}

/** The findings in one sentence, such as `image input: yes, audio input: no`. */
export function describeFindings(findings: CapabilityFindings): string {
  const words: Readonly<Record<ProbeResult, string>> = { yes: t("yes"), no: t("no"), unknown: t("unknown") };
  return names.map((name) => t("{0}: {1}", probes[name].label(), words[findings[name]])).join(", ");
}

/** What the findings say about the model. */
export function capabilitiesOf({
  image,
  audio,
  tools,
  schema,
}: CapabilityFindings): Partial<Omit<Model, "id">> {
  return {
    ...(image === "unknown" ? {} : { supportsImages: image === "yes" }),
    ...(audio === "unknown" ? {} : { supportsAudio: audio === "yes" }),
    ...(tools === "unknown" ? {} : { supportsTools: tools === "yes" }),
    ...(schema === "unknown" ? {} : { supportsSchema: schema === "yes" }),
  };
}

/** Stored findings by model; what can't be read is left out. */
export function parseFindings(value: unknown): Readonly<Record<string, CapabilityFindings>> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([model, entry]) => {
    if (!isRecord(entry) || typeof entry["testedAt"] !== "number") return [];
    const finding = (name: TestedCapability): ProbeResult =>
      (["yes", "no"] as const).find((known) => known === entry[name]) ?? "unknown";
    const { testedAt } = entry;
    return [
      [
        model,
        {
          image: finding("image"),
          audio: finding("audio"),
          tools: finding("tools"),
          schema: finding("schema"),
          testedAt,
        },
      ] as const,
    ];
  });
  return Object.fromEntries(entries);
}
