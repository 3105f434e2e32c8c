import { formatAge } from "../../core/kernel/formatTime.ts";
import type { ServerRecord } from "../gpu/demoServers.ts";

const money = (amount: number): string => `$${amount.toFixed(2)}/h`;
/** The list doesn't tell whether it is idle: what holds memory or runs without a GPU is only seen on the server. */
const isUnused = (server: ServerRecord): boolean => server.gpu_utilization_percent === 0;
const isRunning = ({ status }: ServerRecord): boolean => status === "Running";

/** What a question can be about, with the words that show it. The first one that matches is answered. */
const topics: readonly (readonly [
  words: readonly string[],
  title: string,
  choose: (servers: readonly ServerRecord[]) => readonly ServerRecord[],
])[] = [
  [
    ["idle", "unused", "waste", "nothing", "空闲"],
    "Servers at 0% GPU use",
    (servers) => servers.filter(isUnused),
  ],
  [
    ["fail", "error", "broken", "wrong", "problem", "失败", "错误"],
    "Servers that have failed",
    (servers) => servers.filter(({ status }) => status === "Error"),
  ],
  [
    ["starting", "ready", "启动"],
    "Servers that are starting",
    (servers) => servers.filter(({ status }) => status === "Provisioning" || status === "Restarting"),
  ],
  [
    ["stopped", "off", "已停止"],
    "Stopped servers",
    (servers) => servers.filter(({ status }) => status === "Stopped"),
  ],
  [
    ["cost", "price", "expensive", "money", "spend", "bill", "$", "费用", "价格"],
    "Running servers by price",
    (servers) => servers.filter(isRunning).toSorted((one, other) => priceOf(other) - priceOf(one)),
  ],
  [["busy", "running", "use", "运行"], "Running servers", (servers) => servers.filter(isRunning)],
];

function priceOf({ price_per_hour }: ServerRecord): number {
  return Number(price_per_hour);
}

/** Answers a question about the demo's servers from their records as they are now. */
export function describeServers(question: string, servers: readonly ServerRecord[]): string {
  const asked = question.toLowerCase();
  const named = servers.filter(({ name }) => asked.includes(name.toLowerCase()));
  const topic = topics.find(([words]) => words.some((word) => asked.includes(word)));
  const [title, chosen]: readonly [string, readonly ServerRecord[]] =
    named.length > 0
      ? [named.map(({ name }) => name).join(", "), named]
      : topic === undefined
        ? ["All servers", servers]
        : [topic[1], topic[2](servers)];
  const running = servers.filter(isRunning);
  const sum = running.reduce((total, server) => total + priceOf(server), 0);
  const unused = running.filter(isUnused);
  return [
    `**${title}: ${chosen.length}**`,
    chosen.length === 0 ? "None at the moment." : table(chosen.slice(0, 20)),
    `${running.length} servers are running, which costs **${money(sum)}** in total.${unusedText(unused)}`,
    "This comes from the local gateway, which reads its own list of servers and isn't a language model. Ask about costs, " +
      "idle or failed servers, or about one of them by name.",
  ].join("\n\n");
}

function unusedText(unused: readonly ServerRecord[]): string {
  if (unused.length === 0) return " All of them use their GPUs.";
  const names = unused.map((server) => `${server.name} (${money(priceOf(server))})`).join(", ");
  return ` At 0% GPU use: ${names}. **Watch** in its menu shows whether it is idle, and **Stop Server…** stops it.`;
}

function table(servers: readonly ServerRecord[]): string {
  const rows = servers.map((server) => {
    const {
      name,
      status,
      status_reason: reason,
      status_since: since,
      gpu,
      gpu_utilization_percent: use,
    } = server;
    const age = formatAge(Date.now() - Date.parse(since));
    const state = `${status} for ${age}${reason === null ? "" : `: ${reason}`}`;
    const cells = [
      name,
      state,
      `${gpu.count} × ${gpu.model}`,
      use === null ? "" : `${use}%`,
      money(priceOf(server)),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| Server | Status | GPU | Use | Price |", "| :--- | :--- | :--- | ---: | ---: |", ...rows].join(
    "\n",
  );
}
