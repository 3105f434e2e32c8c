import { remoteScript } from "../connect/sshSession.ts";
import { nvidiaQuery } from "./gpuReadings.ts";

/**
 * How a server is measured: `stream` leaves the tool running if it can, `calls` calls it again and again, and `once`
 * measures one time and ends.
 */
export type GpuScriptMode = "stream" | "calls" | "once";

/** In the order in which they are tried. */
const gpuTools = ["nvidia-smi", "amd-smi", "rocm-smi", "npu-smi", "xpu-smi", "hl-smi", "tegrastats"];

/** Minimum number of seconds between two calls of tools that are written in Python: each takes a second of CPU time. */
const leastSlowSeconds = 10;
/** Number of measurements from one look at the processes to the next. */
const appsEvery = 12;

/**
 * What the server says about itself: seconds since it was started, nanoseconds of CPU time, of which a container knows
 * only its own, bytes received and sent, and its memory in KiB.
 */
const host = `host() {
read -r u x </proc/uptime
if read -r x a </sys/fs/cgroup/cpu.stat; then a=\${a}000
elif read -r a </sys/fs/cgroup/cpuacct/cpuacct.usage; then :
else read -r x a b d x </proc/stat; a=$(((a + b + d) * 10000000)); fi
b=0
while IFS=': ' read -r i r x x x x x x x t x; do
  case $i in en*|eth*|ib*|wl*) b=$((b + r + t)) ;; esac
done </proc/net/dev
f=; g=
while read -r i x y; do case $i in MemTotal:) f=$x ;; MemAvailable:) g=$x ;; esac; done </proc/meminfo
echo "IG1 host $u $a $b $f $g"
}`;

/**
 * What is known about processes: of each, its user and command line, and those of the model servers that started it.
 * Then a sum over the counters of requests that model servers publish on the server itself, with the key of one of the
 * user's own, which no argument may contain. The numbers come from the tools.
 */
const ask = `ask() {
q=
for o in $1; do
  x=$o; i=0
  while [ "$x" -gt 1 ] && [ "$i" -lt 5 ] && [ -r "/proc/$x/cmdline" ]; do
    set -- $(ls -ld "/proc/$x")
    a=$(tr '\\000\\n\\r' '   ' <"/proc/$x/cmdline" | cut -c 1-800)
    [ "$i" -ne 0 ] || echo "IG1 process $o $3 $a"
    case $a in *vllm*|*sglang*|*ollama*|*llama-server*|*text-generation*)
      [ "$i" -eq 0 ] || echo "IG1 process $o $3 $a"
      case $a in
        *--port[=\\ ]*) t=\${a##*--port}; t=\${t#?}; t=\${t%% *} ;;
        *sglang*) t=30000 ;; *ollama*) t=11434 ;; *llama-server*) t=8080 ;; *text-gen*) t=3000 ;; *) t=8000 ;;
      esac
      k=; [ -O "/proc/$x" ] && k=$(tr '\\000' '\\n' <"/proc/$x/environ" | sed -n 's/^LLAMA_API_KEY=\\([A-Za-z0-9._-]*\\)$/\\1/p')
      case "$t" in ''|*[!0-9]*) ;; *) q="$q $t:$k" ;; esac ;;
    esac
    read -r a <"/proc/$x/stat"; set -- \${a##*) }; x=$2; i=$((i + 1))
  done
done
[ -z "$q" ] || echo "IG1 requests $(for t in $q; do for x in metrics slots api/ps; do
  k=\${t#*:}; [ -z "$k" ] || k="header = \\"Authorization: Bearer $k\\""
  curl -s -m 1 --noproxy '*' -K - "http://127.0.0.1:\${t%%:*}/$x" <<IG_KEY; echo
$k
IG_KEY
done; done | grep -E '^(vllm:request_success|vllm:prompt_tokens|sglang:num_requests|sglang:prompt_tokens|llamacpp:prompt_tokens|llamacpp:tokens_predicted|tgi_request_count).*|"id_task"|"expires_at"' | cksum)"
echo "IG1 me $(id -un)"
echo "IG1 asked"
}`;

/** What reads the values, the names, and the processes of the GPUs with a tool that was found. */
const tools = `query() { run nvidia-smi --query-gpu=${nvidiaQuery} --format=csv,noheader,nounits "$@"; }
first() { "$@" </dev/null 3<&- | { read -r x; echo "$x"; }; }
names() { echo; echo "IG1 names $1"; case $1 in
  nvidia-smi) run nvidia-smi -L ;;
  amd-smi) run amd-smi static --asic --json ;;
  xpu-smi) run xpu-smi discovery --dump 1,2,16 ;;
esac; }
measure() { echo; echo "IG1 tool $1"; case $1 in
  nvidia-smi) query; s=$?; [ -z "$t" ] || run nvidia-smi; return "$s" ;;
  amd-smi) run amd-smi metric --usage --mem-usage --power --temperature --json ;;
  rocm-smi) run rocm-smi --showproductname --showuse --showmeminfo vram gtt --showtemp --showpower --json ;;
  npu-smi) run npu-smi info ;;
  xpu-smi) run xpu-smi dump -d -1 -m 0,1,3,18 -n 1 ;;
  hl-smi) run hl-smi --query-aip=index,name,utilization.aip,memory.used,memory.total,temperature.aip,power.draw --format=csv ;;
  tegrastats) run first tegrastats --interval 1000 ;;
esac; }
apps() { case "$w" in *nvidia-smi*)
  names nvidia-smi
  run nvidia-smi --query-compute-apps=gpu_uuid,pid,used_gpu_memory,process_name --format=csv,noheader,nounits
esac; echo; echo "IG1 apps"; echo "IG1 disk"; run df -Pk "$HOME"; }`;

/** Every tool is tried once; `w` lists those that can reach a GPU. */
const look = `echo "IG1 tick"; host; t=; w=
for x in ${gpuTools.join(" ")}; do
  has "$x" || continue
  case "$w $x" in *amd-smi*rocm-smi) continue ;; esac
  case $x in amd-smi|xpu-smi) names "$x" ;; esac
  m=; measure "$x"; s=$?
  case $s in 0|14|15|255) w="$w $x" ;; esac
done
echo`;

/** Steps of another script that look at the GPUs and their processes once. A tool may take up to 20 seconds. */
export const gpuLookSteps = `${host}
${ask}
${tools}
i=$(exec sh -c 'echo $PPID'); m=
trap 'm=1; kill $p' USR1
( sleep 20 & z=$!; trap 'kill $z' TERM; wait "$z" && kill -USR1 "$i" ) </dev/null >/dev/null & l=$!
trap 'kill $p $l; exit 143' TERM
${look}
echo "IG1 tock"
if [ -z "$m" ]; then
  y=$(apps); echo "$y"
  ask "$(echo "$y" | sed -n 's/^[GM][PI][UG]-[^,]*, *\\([0-9]\\{1,10\\}\\),.*/\\1/p' | sort -u | head -n 32)"
fi
kill "$l"; trap - USR1`;

/**
 * What the server runs. Every tool is tried once; then those that can reach a GPU are used. USR1 ends the tool that is
 * running: the next one is tried, or `nvidia-smi` is called again and again instead of being left running. Nothing in
 * the script comes from outside except the number.
 *
 * @param seconds A whole number.
 */
export function gpuScript(seconds: number, mode: GpuScriptMode): string {
  const pause = Math.round(seconds);
  const slow = Math.max(leastSlowSeconds, pause);
  const steps = `m=; l=; s=127
n=${pause}; mode=${mode}; k=0
trap 'kill $p $l; exit 143' TERM
trap 'm=1; kill $p $l' USR1
${tools}
beat() { host; [ $((k % ${appsEvery})) -ne 0 ] || apps; k=$((k + 1)); }
${look}
if [ -z "$w" ]; then echo "IG1 end $s"; exit 0; fi
echo "IG1 tock"
if [ "$mode" = once ]; then beat; run sleep 3; host; echo "IG1 end 0"; exit 0; fi
if [ "$w$mode" = " nvidia-smistream" ]; then
  nvidia-smi --query-gpu=${nvidiaQuery} --format=csv,noheader,nounits -l "$n" </dev/null 2>&1 3<&- & l=$!
  while [ -z "$m" ] && kill -0 "$l"; do
    beat
    [ -n "$m" ] || run sleep "$n"
  done
  kill "$l"; wait "$l"; s=$?; l=
  if [ -z "$m" ]; then echo; echo "IG1 end $s"; exit 0; fi
fi
t=1
case "$w" in *amd-smi*|*rocm-smi*) n=${slow}; echo; echo "IG1 every $n" ;; esac
while :; do
  echo; echo "IG1 tick"
  for x in $w; do measure "$x"; done
  echo; echo "IG1 tock"
  beat
  run sleep "$n"
done`;
  return remoteScript(steps, `${host}\n${ask}`);
}
