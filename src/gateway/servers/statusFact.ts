import { isRecord } from "../../core/kernel/json.ts";
import type { ServerFact, ServerStatus } from "../../core/servers/server.ts";
import { fieldNames, scalarText } from "./recordView.ts";
import type { LocatedValue, Names, RecordView } from "./recordView.ts";

/**
 * Whole phrases come first, because their meaning isn't the sum of their words. Written in lower case without
 * separators.
 */
const phrases: ReadonlyMap<string, ServerStatus> = new Map(
  Object.entries({
    error:
      "notready unhealthy crashloopbackoff imagepullbackoff errimagepull oomkilled lost nodedown unresponsive " +
      "异常 異常 错误 錯誤 故障 失败 启动失败 创建失败 エラー 障害",
    stopping:
      "indestruction indeletion inshutdown shuttingdown pendingdelete pendingdeletion pendingdestruction " +
      "pendingtermination scheduledfordeletion markedfordeletion tobedeleted poweringoff poweringdown " +
      "停止中 关机中 關機中 关闭中 释放中 删除中 销毁中 削除中",
    stopped:
      "shutoff shutdown poweroff poweredoff poweredoffsaved turnedoff switchedoff notrunning inactive softdeleted " +
      "poweroffed powereddown powerdown notstarted shelvedoffloaded stoppedinplace billingsuspension pmsuspended stoppeddisassociated " +
      "已停止 已关机 已關機 关机 已关闭 已释放 已删除 已销毁 已过期 离线 已停用 停止 停止済み 停止済 削除済み",
    starting:
      "pendingrecovery new poweringon poweringup containercreating podinitializing reboothard hardreboot " +
      "rebootstarted startingup spinningup settingup notactivated " +
      "启动中 啟動中 開機中 开机中 创建中 建立中 重启中 部署中 初始化中 排队中 等待中 起動中 作成中 再起動中 準備中",
    running:
      "poweron poweredon switchedon inuse serviceready readyforuse inservice " +
      "运行中 運行中 正在运行 运行 已启动 使用中 在线 実行中 稼働中",
    unknown:
      "verifyresize provisioningsucceeded provisioningstatesucceeded nostate noreply notfound unavailable notavailable",
  } satisfies Record<ServerStatus, string>).flatMap(([status, text]) =>
    text.split(" ").map((phrase) => [phrase, status as ServerStatus] as const),
  ),
);

/** Single words; if a text contains several, the first group that contains one of them decides. */
const words: readonly (readonly [ServerStatus, ReadonlySet<string>])[] = Object.entries({
  error:
    "error errors errored fail failed failure failing crash crashed crashing unschedulable broken dead " +
    "degraded fault faulty down backoff evicted oom impaired unhealthy",
  stopping:
    "stopping deleting destroying terminating destructing releasing deallocating suspending pausing " +
    "removing deprovisioning draining drain evicting halting hibernating destruction shelving archiving " +
    "deletion deactivating",
  starting:
    "starting start provisioning pending booting boot building build creating create created rebooting " +
    "reboot restarting restart initializing initialising init initialized launching queued queueing " +
    "waiting scheduling scheduled staging allocating deploying resuming recovering recovery rebuilding " +
    "rebuild reinstalling installing preparing requested accepted loading connecting spawning repairing " +
    "migrating resizing resize updating upgrading restoring commissioning unpausing unsuspending " +
    "configuring networking spinning warming pulling completing moving cloning planned bootstrapping " +
    "activating processing reserving",
  stopped:
    "stopped off halted terminated released deallocated suspended suspend paused deleted destroyed " +
    "exited exit offline inactive archive archived shelved hibernated expired removed preempted " +
    "cancelled canceled completed succeeded finished disabled drained deprovisioned retired closed ended " +
    "decommissioned idled interrupted reclaimed deactivated stop gone shutoff poweredoff",
  running:
    "running active on up started online ready healthy alive deployed allocated alloc mixed mix idle " +
    "rented busy operational leased booted serving poweredon",
} satisfies Partial<Record<ServerStatus, string>>).map(([status, text]) => [
  status as ServerStatus,
  new Set(text.split(" ")),
]);

/** The meaning of a server's own word for its state; `unknown` for any unrecognized word. */
export function statusWord(text: string): ServerStatus {
  const lower = text
    .slice(0, 100)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  // Compiling the expression for all scripts takes a millisecond, and most texts don't need it.
  const separators = /[^\0-\x7f]/.test(lower) ? /[^\p{L}\p{N}]+/u : /[^a-z0-9]+/;
  const all = lower.split(separators).filter((word) => word !== "");
  const named = withoutPrefix(all);
  const phrase = phrases.get(all.join("")) ?? phrases.get(named.join(""));
  if (phrase !== undefined) return phrase;
  if (named.some((word) => negations.has(word))) return "unknown";
  return words.find(([, group]) => named.some((word) => group.has(word)))?.[0] ?? "unknown";
}

const negations = new Set(["not", "no", "non", "un", "never", "without"]);
/** Words for what has the state. */
const subjects = new Set(
  "instance server vm machine node pod host state status power powerstate lifecycle provisioningstate provisioning phase virtual is currently".split(
    " ",
  ),
);

/** `INSTANCE_STATE_RUNNING`, `PowerState/running`, `VM running`: the subject of the word comes first. */
function withoutPrefix(all: readonly string[]): readonly string[] {
  const first = all.findIndex((word) => !subjects.has(word));
  return first <= 0 || isAmbiguous(all, first) ? all : all.slice(first);
}

/** `provisioning` and `power` have a meaning of their own unless a state follows them. */
function isAmbiguous(all: readonly string[], first: number): boolean {
  return first === -1 || (all[0] === "power" && /^(?:on|off|ed|ing|down|up)$/.test(all[first] ?? ""));
}

interface StatusFact {
  readonly status: ServerStatus;
  readonly text?: ServerFact;
}

/** Fields with the state that a server is meant to have, which isn't its state. */
const wishNames = fieldNames(
  "desired intended requested target goal expected wanted"
    .split(" ")
    .flatMap((wish) => [`${wish}status`, `${wish}state`, `${wish}powerstate`, `${wish}phase`]),
);
/** Fields with the state that a server really has, for servers that also have one that they are meant to have. */
const actualList = ["actual", "observed", "real"].flatMap((name) => [`${name}status`, `${name}state`]);
const actualNames = fieldNames(actualList);
/** Fields that have no value, or are false, 0 or empty, until a server really runs. */
const proofs = (
  "runtime ready isready running isrunning online startedat starttime uptime uptimeseconds " +
  "uptimeinseconds publicip portmappings"
)
  .split(" ")
  .map((name) => fieldNames([name]));
const runtimeNames = fieldNames(["runtime"]);
const viewNames = fieldNames(["instanceview"]);
const stateNames = fieldNames([
  ...actualList,
  ...(
    "status state instancestatus instancestate vmstatus vmstate serverstate machinestate nodestate podstatus " +
    "lifecyclestate lifecyclestatus currentstatus currentstate curstate runstate runstatus runningstatus runningstate " +
    // The last known one, or the previous one of a server that also has a current one, comes last.
    "phase statusname statustext statuslabel statusstr statusdesc statusdisplay displaystatus statename statetext laststatus"
  ).split(" "),
]);
const powerNames = fieldNames(["powerstatus", "powerstate", "power", "poweronstatus"]);
const lastNames = fieldNames(
  "lifecycle serverstatus provisioningstate provisioningstatus deploymentstatus online".split(" "),
);

/** The field names of an object's state word, such as `{"Code": 16, "Name": "running"}`. */
const wordNames =
  /^(?:printablestatus|name|value|state|status|phase|current|displayname|display|label|text|code)$/i;

/** Boolean fields with only one possible meaning, along with the words for their values. */
const plainBooleans: readonly (readonly [names: Names, yes: string, no: string])[] = [
  [fieldNames(["running", "isrunning"]), "running", "not running"],
  [fieldNames(["poweredon", "ispoweredon", "poweron"]), "powered on", "powered off"],
  [fieldNames(["online", "isonline"]), "online", "offline"],
];

/**
 * The state of a server. The state that it is meant to have counts only as far as nothing in the record contradicts it.
 */
export function readStatus(view: RecordView): StatusFact {
  const found = readState(view);
  const isUnconfirmed = view.isEmpty(actualNames);
  if (found.status === "running" && isUnconfirmed) return { status: "starting" };
  const wish = firstWord(view, wishNames);
  const word = found.text !== undefined && !isNumber(found.text.value) ? found : undefined;
  if (wish === undefined)
    return found.text === undefined ? statusFrom(plainBoolean(view), provisioning(view)) : found;
  const wished = statusWord(wish.value);
  const text = {
    value: `${wish.source.slice(wish.source.lastIndexOf(".") + 1)}: ${wish.value}`,
    source: wish.source,
  };
  const isStopWished = wished === "stopped" || wished === "stopping";
  if (word !== undefined)
    return word.status === "running" && isStopWished ? { status: "stopping", text } : word;
  if (wished === "running" && (isUnconfirmed || proofs.some((names) => isNothing(view, names))))
    return { status: "starting", text };
  if (isStopWished && view.find(runtimeNames) !== undefined) return { status: "stopping", text };
  return { status: wished, text: wish };
}

/** The field is there, but without a value that would be there if the server ran. */
function isNothing(view: RecordView, names: Names): boolean {
  const value = view.find(names)?.value;
  return (
    view.isEmpty(names) ||
    value === false ||
    value === 0 ||
    (isRecord(value) && Object.keys(value).length === 0)
  );
}

/**
 * The state that words in the record report. A boolean with a general name never counts (`status: true` indicates success); a number counts
 * only if there is no word anywhere, and then as the server's raw text. A power field takes precedence over words that
 * only mean that the server exists.
 */
function readState(view: RecordView): StatusFact {
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
  return statusFrom(own ?? power);
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

/** An active account may have a server that is off. */
function saysOnlyThatItExists(text: string, powerStatus: ServerStatus): boolean {
  if (powerStatus === "unknown" || powerStatus === "running") return false;
  return /^(?:active|ok|enabled|available|provisioned|succeeded|ready|deployed)$/i.test(text);
}

/** A successful provisioning reveals nothing about the server's current state. */
function provisioning(view: RecordView): StatusFact {
  const text = firstWord(view, lastNames);
  const isOver = text !== undefined && /^(?:succeeded|success|completed|done|ok|ready)$/i.test(text.value);
  return isOver ? { status: "unknown", text } : statusFrom(text);
}

/** The first word in fields with these names, or the first number if none of them contains a word. */
function firstWord(view: RecordView, names: Names): ServerFact | undefined {
  let number: ServerFact | undefined;
  for (const field of view.all(names)) {
    const fact = readWord(field, 0);
    if (fact === undefined) continue;
    if (!isNumber(fact.value)) return fact;
    number ??= fact;
  }
  return number;
}

function readWord({ value, path }: LocatedValue, depth: number): ServerFact | undefined {
  const text = scalarText(value);
  if (text !== undefined) return text.length > 100 ? undefined : { value: text, source: path };
  if (depth > 2) return undefined;
  if (Array.isArray(value)) return readWords(value, path);
  return isRecord(value) ? readObject(value, path, depth) : undefined;
}

/** `["IDLE", "DRAIN"]`: several words that apply at the same time. */
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

/** Azure's instance view lists codes; `PowerState/…` is the state. */
function powerView(view: RecordView): ServerFact | undefined {
  const instanceView = view.find(viewNames);
  const statuses = isRecord(instanceView?.value) ? instanceView.value["statuses"] : undefined;
  if (instanceView === undefined || !Array.isArray(statuses)) return undefined;
  for (const status of statuses) {
    const code = isRecord(status) ? scalarText(status["code"]) : undefined;
    const word = /^PowerState\/(.+)$/i.exec(code ?? "")?.[1];
    if (word !== undefined) return { value: word, source: `${instanceView.path}.statuses` };
  }
  return undefined;
}

/** Words begin with a letter, whose code is higher than that of any digit. */
function isNumber(text: string): boolean {
  return text.charCodeAt(0) < 58 && /^-?\d+(?:\.\d+)?$/.test(text);
}
