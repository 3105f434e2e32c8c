import { t } from "@vscode/l10n";
import { formatNumber } from "../../kernel/formatTime.ts";
import { shellWord } from "../../kernel/shellWord.ts";
import type { ModelFit } from "./modelFit.ts";
import type { ServeRemedy } from "./serveFailure.ts";
import type { DiskModel, Runtime, RuntimeKind, ServeProbe } from "./serveProbe.ts";

interface RuntimeFacts {
  readonly port: number;
  /** The variable from which the program reads the key that requests must have. Undefined if it has none. */
  readonly keyVariable: string | undefined;
  /** The option for the size of the context. */
  readonly context: string | undefined;
  readonly sources: readonly DiskModel["source"][];
}

/** How the programs differ. */
const runtimeFacts: Readonly<Record<RuntimeKind, RuntimeFacts>> = {
  vllm: {
    ...{ port: 8000, keyVariable: "VLLM_API_KEY", context: "--max-model-len" },
    sources: ["hub", "folder"],
  },
  "llama.cpp": { ...{ port: 8080, keyVariable: "LLAMA_API_KEY", context: "-c" }, sources: ["gguf"] },
  ollama: { ...{ port: 11_434, keyVariable: undefined, context: undefined }, sources: ["ollama"] },
};

/** What is served, with what, and where. */
export interface ServePlan {
  readonly runtime: Runtime;
  readonly model: DiskModel;
  readonly fit: ModelFit;
  readonly port: number;
}

/** The variable that passes the key to the program; undefined if everyone with an account on the server has access. */
export function keyVariableOf(kind: RuntimeKind): string | undefined {
  return runtimeFacts[kind].keyVariable;
}

/** What can be served with what, the model first. */
export function pairsOf(probe: ServeProbe): readonly Pick<ServePlan, "model" | "runtime">[] {
  return probe.models.flatMap((model) => {
    const fitting = probe.runtimes.filter(({ kind }) => runtimeFacts[kind].sources.includes(model.source));
    const kinds = [...new Set(fitting.map(({ kind }) => kind))];
    return kinds.flatMap((kind) => {
      const runtime = fitting.find((each) => each.kind === kind);
      return runtime === undefined ? [] : [{ model, runtime }];
    });
  });
}

/** A port on which nothing listens, the usual one if possible. */
export function freePortOf({ taken }: Pick<ServeProbe, "taken">, { kind }: Pick<Runtime, "kind">): number {
  let port = runtimeFacts[kind].port;
  while (taken.has(port) && port < 65_535) port++;
  return port;
}

/** Names that every program accepts as the name of a model. */
const modelName = /^[A-Za-z0-9][\w.-]*(?:\/[\w.-]+)?(?::[\w.-]+)?$/;

/**
 * The command line, in which every value is quoted. The program listens on this port of the server itself only, and its
 * key isn't part of it.
 */
export function serveCommand(plan: ServePlan): string {
  const { runtime, fit } = plan;
  // AMD's driver reads the second variable, too.
  const visible =
    fit.gpus.length === 0
      ? []
      : ["CUDA_DEVICE_ORDER=PCI_BUS_ID", `CUDA_VISIBLE_DEVICES=${fit.gpus.join(",")}`];
  const words = programWords(plan);
  // Not every login shell has variables in front of a command.
  const hasVariables = visible.length > 0 || runtime.kind === "ollama";
  return [...(hasVariables ? ["env"] : []), ...visible, ...words].join(" ");
}

function programWords({ runtime, model, fit, port }: ServePlan): readonly string[] {
  const program = shellWord(runtime.program);
  const listen = ["--host", "127.0.0.1", "--port", String(port)];
  // Programs find a name in the usual place only.
  const isByName = model.source === "hub" && modelName.test(model.name);
  const target = shellWord(isByName ? model.name : model.path);
  const name = !isByName && modelName.test(model.name) ? [model.name] : [];
  const part = fit.utilization.toFixed(2);
  const count = fit.gpus.length;
  const context = String(fit.context);
  switch (runtime.kind) {
    case "vllm":
      return [
        ...[program, "serve", target],
        ...listen,
        ...["--max-model-len", context],
        ...(count === 0 ? [] : ["--gpu-memory-utilization", part]),
        ...(count > 1 ? ["--tensor-parallel-size", String(count)] : []),
        ...name.flatMap((each) => ["--served-model-name", each]),
      ];
    case "llama.cpp":
      return [
        ...[program, "-m", target],
        ...name.flatMap((each) => ["--alias", each]),
        ...listen,
        ...["-c", context],
        ...(count === 0 ? [] : ["-ngl", "99"]),
      ];
    case "ollama":
      return [
        ...[`OLLAMA_HOST=127.0.0.1:${port}`, `OLLAMA_CONTEXT_LENGTH=${context}`],
        ...[program, "serve"],
      ];
  }
}

/** The port of a command line, which the user may have edited. */
export function portOfCommand(command: string, usual: number): number {
  const found =
    /\s--port[ =](\d{1,5})\b/.exec(command) ??
    /\bOLLAMA_HOST=(?:127\.0\.0\.1|localhost):(\d{1,5})\b/.exec(command);
  const port = Number(found?.[1] ?? usual);
  return port > 0 && port < 65_536 ? port : usual;
}

/** Why others could reach what the command starts, as a sentence; undefined if only the server itself can. */
export function exposureOf(command: string): string | undefined {
  const isOpen = !/(?:\s--host[ =]|\bOLLAMA_HOST=)(?:127\.0\.0\.1|localhost)(?:[\s:]|$)/.test(command);
  return isOpen
    ? t(
        "This command may accept connections from other machines, because it doesn't listen on 127.0.0.1 only.",
      )
    : undefined;
}

/** The command with another value for one of its options, which is added if it isn't there. */
function withOption(command: string, option: string, value: string): string {
  const at = command.indexOf(` ${option} `);
  const isJoined = at === -1 && command.includes(` ${option}=`);
  if (at === -1 && !isJoined) return `${command} ${option} ${value}`;
  const from = (isJoined ? command.indexOf(` ${option}=`) : at) + option.length + 2;
  const end = command.slice(from).search(/\s/);
  return `${command.slice(0, from)}${value}${end === -1 ? "" : command.slice(from + end)}`;
}

/**
 * The command with what may cure its failure, and the change in words; undefined if there is none.
 * @param port The one that it listens on.
 */
export function curedCommand(
  command: string,
  kind: RuntimeKind,
  port: number,
  remedy: ServeRemedy,
): { readonly command: string; readonly label: string } | undefined {
  const { context } = runtimeFacts[kind];
  switch (remedy.kind) {
    case "context": {
      if (context === undefined) return undefined;
      const tokens = remedy.tokens ?? Math.floor((contextOf(command, context) ?? 8_192) / 2);
      const label = t("Use {0} Tokens…", formatNumber(tokens));
      return { command: withOption(command, context, String(tokens)), label };
    }
    case "port":
      return { command: withPort(command, port, port + 1), label: t("Use Port {0}…", String(port + 1)) };
    case "half":
      return { command: withOption(command, "--dtype", "half"), label: t("Use {0}…", "--dtype half") };
    case "share": {
      if (remedy.share === undefined) return undefined;
      const share = remedy.share.toFixed(2);
      const label = t("Use {0} of the Memory…", share);
      return { command: withOption(command, "--gpu-memory-utilization", share), label };
    }
  }
}

/** The command with another port of the server. */
function withPort(command: string, from: number, to: number): string {
  return command
    .replace(`OLLAMA_HOST=127.0.0.1:${from}`, `OLLAMA_HOST=127.0.0.1:${to}`)
    .replace(/^(.* --port[ =])\d+/, `$1${to}`);
}

/** The size of the context of a command; undefined if it has none. */
function contextOf(command: string, option: string): number | undefined {
  const at = command.indexOf(` ${option} `);
  const digits = at === -1 ? undefined : /^\d{1,9}/.exec(command.slice(at + option.length + 2))?.[0];
  return digits === undefined ? undefined : Number(digits);
}
