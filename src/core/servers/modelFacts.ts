import { isRecord } from "../kernel/json.ts";
import type { Server, ServerFact } from "./server.ts";
import { recordPorts } from "./connect/recordPorts.ts";
import { recordFields } from "./details/recordFields.ts";
import type { RecordField } from "./details/recordFields.ts";
import { fieldName } from "./fieldMapping.ts";
import { isRandomRun } from "../account/secrets/secretValue.ts";
import { mask, maskSecretText } from "./secretMask.ts";
import { recordTimes } from "./table/recordTimes.ts";

/** What may be sent to a model without confirmation: known facts, each in its expected form. */
export type ModelFacts = Readonly<Record<string, string | number | readonly string[]>>;

const forms = {
  name: /^[\p{L}\p{N}][\p{L}\p{N} ._:()/#+@*-]{0,119}$/u,
  id: /^[\w.:/-]{1,160}$/,
  word: /^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,39}$/u,
  gpu: /^[\p{L}\p{N}][\p{L}\p{N} .,×()/+_-]{0,79}$/u,
  count: /^\d{1,6}$/,
  place: /^[\p{L}\p{N}][\p{L}\p{N} ,.()/_-]{0,79}$/u,
  address: /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]{2,39}|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8})$/i,
  amount: /^-?\d{1,12}(?:\.\d{1,9})?(?: ?[kKMGTP]i?[bB])?$/,
} as const;

/** Names of sizes and prices, as returned by `fieldName`; their values are amounts. */
const sizes =
  /^(?:v?cpus?|v?cores?|cpucount|vcpucount|corecount|memory|memorymb|memorygb|memoryingb|memoryinmb|ram|ramgb|rammb|disk|diskgb|disksize|storage|storagegb|containerdiskingb|volumeingb|vram|gpumemory|gpuram|gpucount|numgpus|price|priceperhour|hourlyprice|hourlycost|costperhr|costperhour|monthlyprice|bandwidth|maxsessions)$/;

const maxFields = 40;

/** The known facts of a server. Values that don't have the form of their kind, or look like a secret, are left out. */
export function modelFacts(server: Server): ModelFacts {
  const { id, name, status, statusText, gpu, gpuCount, region, address, otherAddresses } = server;
  const { createdAt, startedAt, uptimeMs } = recordTimes(server.record);
  const addresses = [address?.value, ...(otherAddresses ?? [])].flatMap(
    (text) => checked(text, forms.address) ?? [],
  );
  const facts: readonly (readonly [string, string | number | readonly string[] | undefined])[] = [
    ["id", valueOf(id, forms.id)],
    ["name", valueOf(name, forms.name)],
    ["status", status],
    ["statusText", valueOf(statusText, forms.word)],
    ["gpu", valueOf(gpu, forms.gpu)],
    ["gpuCount", valueOf(gpuCount, forms.count)],
    ["region", valueOf(region, forms.place)],
    ["addresses", addresses.length === 0 ? undefined : addresses],
    ["createdAt", timeText(createdAt)],
    ["startedAt", timeText(startedAt)],
    ["uptimeSeconds", uptimeMs === undefined ? undefined : Math.round(uptimeMs / 1_000)],
    ["ports", portTexts(server)],
    ...sizesOf(server.record, 0),
  ];
  return Object.fromEntries(facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]])));
}

/** Fields that the user may add to the facts, each with its value exactly as it is sent, excluding masked ones. */
export function addableFields(server: Server): readonly RecordField[] {
  return recordFields(server.record)
    .filter(({ pointer, value }) => !pointer.includes(mask) && !value.includes(mask) && value.length <= 200)
    .filter(({ pointer, value }) => /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(`${pointer}${value}`))
    .slice(0, 500);
}

/** The facts and the fields added by the user as a JSON document. */
export function modelText(facts: ModelFacts, added: readonly RecordField[] = []): string {
  const fields = Object.fromEntries(added.map(({ pointer, value }) => [pointer, value]));
  const all = added.length === 0 ? facts : { ...facts, fields };
  return `${JSON.stringify(all, undefined, 2)}\n`;
}

function valueOf(fact: ServerFact | undefined, form: RegExp): string | undefined {
  return checked(fact?.value, form);
}

function checked(text: string | undefined, form: RegExp): string | undefined {
  if (text === undefined || !form.test(text) || maskSecretText(text) !== text) return undefined;
  const isKnownForm = form === forms.id || form === forms.address;
  return !isKnownForm && text.split(/[ ,()/]/).some(isRandomRun) ? undefined : text;
}

function timeText(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function portTexts({ record }: Server): readonly string[] | undefined {
  const ports = recordPorts(record)
    .slice(0, maxFields)
    .map(({ port, inner }) => (inner === undefined ? String(port) : `${port}→${inner}`));
  return ports.length === 0 ? undefined : ports;
}

/** Amounts in the record and in its nested objects, up to two levels down. */
function sizesOf(record: unknown, depth: number): readonly (readonly [string, string])[] {
  if (!isRecord(record) || depth > 2) return [];
  const found = Object.entries(record).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (isRecord(value)) return sizesOf(value, depth + 1);
    const known = fieldName(name);
    if (!sizes.test(known) || (typeof value !== "string" && typeof value !== "number")) return [];
    return forms.amount.test(String(value)) ? [[known, String(value)]] : [];
  });
  return found.slice(0, maxFields);
}
