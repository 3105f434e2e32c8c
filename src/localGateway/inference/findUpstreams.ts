import { isRecord, stringField } from "../../core/kernel/json.ts";

/** A model server that responds on this machine. */
interface FoundUpstream {
  readonly name: string;
  /** Base URL including `/v1`. */
  readonly url: string;
  readonly models: readonly string[];
}

const usual = [
  { name: "Ollama", port: 11_434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
  { name: "vLLM", port: 8000 },
] as const;

const patienceMs = 800;

/** Looks for model servers on their usual loopback ports, only on request. */
export async function findUpstreams(
  candidates: readonly { readonly name: string; readonly port: number }[] = usual,
): Promise<readonly FoundUpstream[]> {
  const found = await Promise.all(
    candidates.map(({ name, port }) => probe(name, `http://127.0.0.1:${port}/v1`)),
  );
  return found.filter((upstream) => upstream !== undefined);
}

async function probe(name: string, url: string): Promise<FoundUpstream | undefined> {
  try {
    const response = await fetch(`${url}/models`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: "error",
    });
    if (!response.ok) return undefined;
    const body: unknown = await response.json();
    const list = isRecord(body) && Array.isArray(body["data"]) ? body["data"] : undefined;
    if (list === undefined) return undefined;
    const models = list.flatMap((entry) => (isRecord(entry) ? (stringField(entry, "id") ?? []) : []));
    return { name, url, models };
  } catch {
    // Either nothing is listening on the port or something else is. In both cases there is nothing to offer.
    return undefined;
  }
}
