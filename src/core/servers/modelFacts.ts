import { isRecord } from "../kernel/json.ts";
import type { Server } from "./server.ts";
import { recordPorts } from "./connect/recordPorts.ts";
import { fieldName } from "./fieldName.ts";
import { isRandomRun } from "../account/secrets/secretValue.ts";
import { maskSecretText } from "./secretMask.ts";
import { factEntry, factKinds, factNames } from "./serverFacts.ts";
import type { FactForm, FactKind, FactName } from "./serverFacts.ts";

/** What may be sent to a model without confirmation: known facts, each in its expected form. */
export type ModelFacts = Readonly<Record<string, string | number | readonly string[]>>;

/** Names of fields with sizes, as returned by `fieldName`; their values are amounts. Prices need their unit: they are a fact. */
const amounts = new Set(
  (
    "cpu cpus vcpu vcpus core cores vcore vcores cpucount vcpucount corecount memory memorymb memorygb memoryingb " +
    "memoryinmb ram ramgb rammb disk diskgb disksize storage storagegb containerdiskingb volumeingb vram gpumemory gpuram " +
    "gpucount numgpus bandwidth maxsessions"
  ).split(" "),
);
const amount = /^-?\d{1,12}(?:\.\d{1,9})?(?: ?[kKMGTP]i?[bB])?$/;

const maxFields = 40;

/** The known facts of a server. Values that don't have the form of their kind, or look like a secret, are left out. */
export function modelFacts(server: Server): ModelFacts {
  const { status, address, otherAddresses = [], record } = server;
  const addresses = [address?.value, ...otherAddresses].flatMap((text) => checked(text, "address") ?? []);
  const facts: readonly (readonly [string, string | number | readonly string[] | undefined])[] = [
    ...factNames.flatMap((name) => {
      const fact = [name, factEntry(name).model === "never" ? undefined : valueOf(server, name)] as const;
      return name === "statusText" ? [["status", status] as const, fact] : [fact];
    }),
    ["addresses", addresses.length === 0 ? undefined : addresses],
    ["ports", portTexts(server)],
    ...amountsOf(record, 0),
  ];
  return Object.fromEntries(facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]])));
}

/** The facts as a JSON document. */
export function modelText(facts: ModelFacts): string {
  return `${JSON.stringify(facts, undefined, 2)}\n`;
}

function valueOf(server: Server, name: FactName): string | number | undefined {
  const { kind } = factEntry(name);
  const text = checked(server[name]?.value, kind);
  return kind === "seconds" && text !== undefined ? Number(text) : text;
}

function checked(text: string | undefined, kind: FactKind): string | undefined {
  const { form, mayBeRandom }: FactForm = factKinds[kind];
  if (text === undefined || !form.test(text) || maskSecretText(text) !== text) return undefined;
  return mayBeRandom !== true && text.split(/[ ,()/]/).some(isRandomRun) ? undefined : text;
}

function portTexts({ record }: Server): readonly string[] | undefined {
  const ports = recordPorts(record)
    .slice(0, maxFields)
    .map(({ port, inner }) => (inner === undefined ? String(port) : `${port}→${inner}`));
  return ports.length === 0 ? undefined : ports;
}

/** Amounts in the record and in its nested objects, up to two levels down. */
function amountsOf(record: unknown, depth: number): readonly (readonly [string, string])[] {
  if (!isRecord(record) || depth > 2) return [];
  const found = Object.entries(record).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (isRecord(value)) return amountsOf(value, depth + 1);
    const known = fieldName(name);
    if (!amounts.has(known) || (typeof value !== "string" && typeof value !== "number")) return [];
    return amount.test(String(value)) ? [[known, String(value)]] : [];
  });
  return found.slice(0, maxFields);
}
