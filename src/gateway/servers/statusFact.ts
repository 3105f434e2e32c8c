import { isRecord } from "../../core/kernel/json.ts";
import type { ServerFact, ServerStatus } from "../../core/servers/server.ts";
import type { Field, RecordView } from "./recordView.ts";
import { scalarText } from "./scalarText.ts";
import { statusWord } from "./statusWord.ts";

export interface StatusFact {
  readonly status: ServerStatus;
  readonly text?: ServerFact;
}

const stateNames = [
  "status",
  "state",
  "instancestatus",
  "instancestate",
  "vmstatus",
  "vmstate",
  "serverstate",
  "machinestate",
  "nodestate",
  "podstatus",
  "lifecyclestate",
  "lifecyclestatus",
  "actualstatus",
  "currentstatus",
  "currentstate",
  "curstate",
  "runstate",
  "runstatus",
  "runningstatus",
  "runningstate",
  "phase",
  "desiredstatus",
  "statusname",
  "statustext",
  "statuslabel",
  "statusstr",
  "statusdesc",
  "statusdisplay",
  "displaystatus",
  "statename",
  "statetext",
];
const powerNames = ["powerstatus", "powerstate", "power", "poweronstatus"];
const lastNames = [
  "lifecycle",
  "serverstatus",
  "provisioningstate",
  "provisioningstatus",
  "deploymentstatus",
  "online",
];

/** The names under which an object holds its word, such as `{"Code": 16, "Name": "running"}`. */
const wordNames =
  /^(?:printablestatus|name|value|state|status|phase|current|displayname|display|label|text|code)$/i;

/** Fields whose boolean can only mean one thing, with the words for its values. */
const plainBooleans: readonly (readonly [names: readonly string[], yes: string, no: string])[] = [
  [["running", "isrunning"], "running", "not running"],
  [["poweredon", "ispoweredon", "poweron"], "powered on", "powered off"],
  [["online", "isonline"], "online", "offline"],
];

/**
 * The state of a server. A boolean under a general name is never one (`status: true` is a sign of success); a number only where no word
 * stands anywhere, and then as the server's raw text. A field of power wins over words that say no more than that
 * the server exists.
 */
export function readStatus(view: RecordView): StatusFact {
  const own = firstWord(view, stateNames);
  const power = powerView(view) ?? firstWord(view, powerNames);
  const powerStatus = power === undefined ? "unknown" : statusWord(power.value);
  if (own !== undefined && isNumber(own.value)) {
    const word = [power, firstWord(view, lastNames)].find(
      (fact) => fact !== undefined && !isNumber(fact.value),
    );
    return statusFrom(word ?? own);
  }
  if (own !== undefined && power !== undefined && saysOnlyThatItExists(own.value, powerStatus)) {
    return statusFrom(power);
  }
  if (own !== undefined || power !== undefined) return statusFrom(own ?? power);
  return statusFrom(plainBoolean(view), provisioning(view));
}

function plainBoolean(view: RecordView): ServerFact | undefined {
  for (const [names, yes, no] of plainBooleans) {
    const field = view.find(names);
    if (typeof field?.value === "boolean") return { value: field.value ? yes : no, source: field.path };
  }
  return undefined;
}

function statusFrom(text: ServerFact | undefined, otherwise: StatusFact = { status: "unknown" }): StatusFact {
  return text === undefined ? otherwise : { status: statusWord(text.value), text };
}

/** An account that is active may have a server that is off. */
function saysOnlyThatItExists(text: string, powerStatus: ServerStatus): boolean {
  const isVague = /^(?:active|ok|enabled|available|provisioned|succeeded|ready|deployed)$/i.test(text);
  return isVague && powerStatus !== "unknown" && powerStatus !== "running";
}

/** A provisioning that succeeded says nothing about what the server does now. */
function provisioning(view: RecordView): StatusFact {
  const text = firstWord(view, lastNames);
  const isOver = text !== undefined && /^(?:succeeded|success|completed|done|ok|ready)$/i.test(text.value);
  return isOver ? { status: "unknown", text } : statusFrom(text);
}

/** The first word of these names, or the first number where none of them holds a word. */
function firstWord(view: RecordView, names: readonly string[]): ServerFact | undefined {
  let number: ServerFact | undefined;
  for (const name of names) {
    const field = view.get(name);
    const fact = field === undefined ? undefined : readWord(field, 0);
    if (fact === undefined) continue;
    if (!isNumber(fact.value)) return fact;
    number ??= fact;
  }
  return number;
}

function readWord({ value, path }: Field, depth: number): ServerFact | undefined {
  const text = scalarText(value);
  if (text !== undefined) return text.length > 100 ? undefined : { value: text, source: path };
  if (depth > 2) return undefined;
  if (Array.isArray(value)) return readWords(value, path);
  return isRecord(value) ? readObject(value, path, depth) : undefined;
}

/** `["IDLE", "DRAIN"]`: several words that hold at the same time. */
function readWords(list: readonly unknown[], path: string): ServerFact | undefined {
  const words = list.filter((item) => typeof item === "string").slice(0, 5);
  return words.length === 0 ? undefined : { value: words.join(" + "), source: path };
}

function readObject(
  record: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): ServerFact | undefined {
  const names = Object.keys(record).filter((name) => wordNames.test(name));
  const facts = names.flatMap(
    (name) => readWord({ value: record[name], path: `${path}.${name}` }, depth + 1) ?? [],
  );
  return facts.find(({ value }) => !isNumber(value)) ?? readConditions(record, path) ?? facts[0];
}

/** A Kubernetes node reports its state in a list of conditions. */
function readConditions(record: Readonly<Record<string, unknown>>, path: string): ServerFact | undefined {
  const conditions = Array.isArray(record["conditions"]) ? record["conditions"].filter(isRecord) : [];
  const ready = conditions.find((condition) => condition["type"] === "Ready")?.["status"];
  if (ready !== "True" && ready !== "False") return undefined;
  return { value: ready === "True" ? "Ready" : "NotReady", source: `${path}.conditions` };
}

/** Azure's instance view lists codes, of which `PowerState/…` is the state. */
function powerView(view: RecordView): ServerFact | undefined {
  const instanceView = view.get("instanceview");
  const statuses = isRecord(instanceView?.value) ? instanceView.value["statuses"] : undefined;
  if (instanceView === undefined || !Array.isArray(statuses)) return undefined;
  for (const status of statuses) {
    const code = isRecord(status) ? scalarText(status["code"]) : undefined;
    const word = /^PowerState\/(.+)$/i.exec(code ?? "")?.[1];
    if (word !== undefined) return { value: word, source: `${instanceView.path}.statuses` };
  }
  return undefined;
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}
