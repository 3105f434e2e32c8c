import type { ServerStatus } from "../../core/servers/server.ts";

/** Whole phrases first: what they mean isn't the sum of their words. Written without case and separators. */
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

/** Single words; where a text holds several, the first group that has one of them decides. */
const words: readonly (readonly [ServerStatus, RegExp])[] = [
  [
    "error",
    /^(?:errors?|errored|fail|failed|failure|failing|crash|crashed|crashing|unschedulable|broken|dead|degraded|faulty?|fault|down|backoff|evicted|oom|impaired|unhealthy)$/,
  ],
  [
    "stopping",
    /^(?:stopping|deleting|destroying|terminating|destructing|releasing|deallocating|suspending|pausing|removing|deprovisioning|draining|drain|evicting|halting|hibernating|destruction|shelving|archiving|deletion|deactivating)$/,
  ],
  [
    "starting",
    /^(?:starting|start|provisioning|pending|booting|boot|building|build|creating|create|created|rebooting|reboot|restarting|restart|initializing|initialising|init|initialized|launching|queued|queueing|waiting|scheduling|scheduled|staging|allocating|deploying|resuming|recovering|recovery|rebuilding|rebuild|reinstalling|installing|preparing|requested|accepted|loading|connecting|spawning|repairing|migrating|resizing|resize|updating|upgrading|restoring|commissioning|unpausing|unsuspending|configuring|networking|spinning|warming|pulling|completing|moving|cloning|planned|bootstrapping|activating|processing|reserving)$/,
  ],
  [
    "stopped",
    /^(?:stopped|off|halted|terminated|released|deallocated|suspended|suspend|paused|deleted|destroyed|exited|exit|offline|inactive|archive|archived|shelved|hibernated|expired|removed|preempted|cancelled|canceled|completed|succeeded|finished|disabled|drained|deprovisioned|retired|closed|ended|decommissioned|idled|interrupted|reclaimed|deactivated|stop|gone|shutoff|poweredoff)$/,
  ],
  [
    "running",
    /^(?:running|active|on|up|started|online|ready|healthy|alive|deployed|allocated|alloc|mixed|mix|idle|rented|busy|operational|leased|booted|serving|poweredon)$/,
  ],
];

const cache = new Map<string, ServerStatus>();

/** What a server's own word for its state means; `unknown` for every word that isn't known. */
export function statusWord(text: string): ServerStatus {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size > 1_000) cache.clear();
  const status = classify(text.slice(0, 100));
  cache.set(text, status);
  return status;
}

function classify(text: string): ServerStatus {
  const all = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const named = withoutPrefix(all);
  const phrase = phrases.get(all.join("")) ?? phrases.get(named.join(""));
  if (phrase !== undefined) return phrase;
  if (named.some((word) => /^(?:not|no|non|un|never|without)$/.test(word))) return "unknown";
  return words.find(([, pattern]) => named.some((word) => pattern.test(word)))?.[0] ?? "unknown";
}

/** `INSTANCE_STATE_RUNNING`, `PowerState/running`, `VM running`: what the word is about comes first. */
function withoutPrefix(all: readonly string[]): readonly string[] {
  const first = all.findIndex(
    (word) =>
      !/^(?:instance|server|vm|machine|node|pod|host|state|status|power|powerstate|lifecycle|provisioningstate|provisioning|phase|virtual|is|currently)$/.test(
        word,
      ),
  );
  return first <= 0 || isAmbiguous(all, first) ? all : all.slice(first);
}

/** `provisioning` and `power` mean something themselves unless a state follows them. */
function isAmbiguous(all: readonly string[], first: number): boolean {
  return first === -1 || (all[0] === "power" && /^(?:on|off|ed|ing|down|up)$/.test(all[first] ?? ""));
}
