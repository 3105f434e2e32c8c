import { isVisible } from "../../kernel/foreignText.ts";
import { shellWord } from "../../kernel/shellWord.ts";
import { folderWord } from "../files/remoteFiles.ts";
import type { JobEnvironment } from "./job.ts";

/*
 * A job is a folder on the server, `~/.cache/inference-gateway/jobs/<id>`, that only the account can read:
 *
 * - `command`, `folder`, `environment`: what the user ordered, in words.
 * - `started`: the server's time and the host's name, because several hosts can share a home folder.
 * - `run`: our script, which leads the job's session. `pid`: its process ID, start time, session and boot.
 * - `log`: what the job prints.
 * - `exit`: the exit code and time, written as `exit.new`. `stopped`: the user has stopped it. `told`: the user was
 *   notified of the end.
 * - `details`: a line for the part of the product that started it, such as what it serves. It is listed with the job.
 * - `env`: variables that nobody else may read, such as a key. They are in no argument, in no list, and not in the
 *   command that is shown. `secretSteps` prints them. The file is deleted when the job's command ends.
 */

/** Bytes of a log that are read when it is opened. */
const logStart = 262_144;

/**
 * What all scripts use. `of` reads the state, the session, and the start time of a process; its name may contain
 * anything. `members` finds the processes of a job: those of the session that our own process leads, which is
 * recognized by its start time; once that has ended, those with the job's variable.
 */
const common = `o=$(umask); umask 077; all=
j="$HOME/.cache/inference-gateway/jobs"
boot() { cat /proc/sys/kernel/random/boot_id; }
of() { z=; s=; t=; w=$(cat "/proc/$1/stat") || return 1; w=\${w##*") "}; set -f; set -- $w; set +f; z=$1; s=$4; t=\${20}; [ "$z" != Z ]; }
leads() { of "$p0" && [ "$t $s" = "$t0 $s0" ]; }
mine() { tr '\\000' '\\n' <"/proc/$1/environ" | grep -qx "INFERENCE_GATEWAY_JOB=$2"; }
members() {
  m=; p0=; b0=; read -r p0 t0 s0 b0 <"$1/pid" || return 0
  case "$p0$t0$s0" in *[!0-9]*|"") return 0 ;; esac
  [ "$b0" = "$(boot)" ] || return 0
  case "$all" in ""|*" $s0 "*) ;; *) return 0 ;; esac
  l=; leads && l=1
  for f in $(grep -ls " $s0 " /proc/[0-9]*/stat); do
    q=\${f#/proc/}; q=\${q%/stat}
    if of "$q" && [ "$s" = "$s0" ]; then if [ "$l" ] || mine "$q" "\${1##*/}"; then m="$m $q"; fi; fi
  done
}
fail() { echo "IG1 fail $1"; echo "IG1 end 0"; exit 0; }
line() { printf '%s' "$(head -c 8000 "$d/$1")" | tr '\\r\\n\\t' '   '; }
`;

// The last line is what a job has printed, not what its shell says when the job is stopped.
const list = `u=0; while read -r a b; do [ "$a" = btime ] && u=$b; done </proc/stat
hz=$(getconf CLK_TCK) || hz=100
of 1; echo "IG1 server $(date +%s) $((u + \${t:-0} / hz))"
printf 'IG1 home %s\\n' "$HOME"
all=$(cat /proc/[0-9]*/stat)
for d in "$j"/*/; do
  d=\${d%/}; [ -f "$d/started" ] || continue
  members "$d"; set -- $m
  e="- -"; [ -s "$d/exit" ] && read -r e <"$d/exit"
  a=; n=; read -r a n <"$d/started"
  k=-; for f in pid told stopped; do [ -f "$d/$f" ] && k="$k.$f"; done
  [ "$n" = "$(uname -n)" ] || k="$k.other"
  [ "$b0" ] && [ "$b0" != "$(boot)" ] && k="$k.boot"
  printf 'IG1 job %s\\n' "\${d##*/} $a $e $# $k"
  for f in command folder environment details; do [ -f "$d/$f" ] && printf 'IG1 %s %s\\n' "$f" "$(line $f)"; done
  printf 'IG1 last %s\\n' "$(tail -c 4000 "$d/log" | tr '\\r\\000' '\\n ' | LC_ALL=C sed -n '/^Terminated$/!{/: line [0-9]*: *[0-9]* Terminated/!{/[^[:space:]]/h;};};$ {g;p;}' | cut -c 1-1000)"
done`;

/** Prints the jobs of the account on the server. It only reads. */
export const listSteps = common + list;

/** The same, with the number of VS Code windows that the account has open there. */
export const runningSteps = `${listSteps}
n=0; for f in $(grep -lsxz -e '--type=extension[H]ost' /proc/[0-9]*/cmdline); do [ -O "$f" ] && n=$((n + 1)); done
echo "IG1 windows $n"`;

/** Prints where Python environments are, and which folder and account a job would have. It only reads. */
export function probeSteps(folder: string): string {
  return `${common}printf 'IG1 account %s\\n' "$(id -un)"
f=${folderWord(folder)}
[ -d "$f" ] && f=$(cd -- "$f" && pwd) && printf 'IG1 cwd %s\\n' "$f"
n=0
venv() { for v; do if [ -f "$v/pyvenv.cfg" ] && [ $n -lt 40 ]; then
  n=$((n + 1)); printf 'IG1 venv %s\\n' "$(grep -m 1 '^version' "$v/pyvenv.cfg" | tr -dc '0-9.' | cut -c 1-20) $v"; fi; done; }
conda() { for v; do if [ -d "$v/conda-meta" ] && [ $n -lt 80 ]; then n=$((n + 1)); printf 'IG1 conda %s\\n' "- $v"; fi; done; }
venv "$f"/.venv "$f"/venv "$f"/env "$f"/*/.venv "$HOME"/.venv "$HOME"/venv "$HOME"/*/.venv "$HOME"/*/venv "$HOME"/.virtualenvs/*
[ -f "$HOME/.conda/environments.txt" ] && while read -r v; do conda "$v"; done <"$HOME/.conda/environments.txt"
for c in "$HOME"/miniconda3 "$HOME"/anaconda3 "$HOME"/miniforge3 "$HOME"/mambaforge "$HOME"/micromamba "$HOME"/.conda /opt/conda /opt/miniconda3 /opt/anaconda3 /opt/miniforge3; do
  conda "$c" "$c"/envs/*
done
${list}`;
}

/** What the user wants to run. */
interface JobOrder {
  readonly id: string;
  readonly command: string;
  readonly folder: string;
  readonly environment: JobEnvironment;
  /** What is stored with the job for the part of the product that started it, and listed with it: one line. */
  readonly details?: string;
  /** Variables of the command that nobody else may read, such as a key. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * Starts a job that nothing of ours keeps alive: in a session of its own, with its output in a file. The login shell
 * reads the user's profile, and then runs the command in the environment.
 */
export function startSteps({ id, command, folder, environment, details, secrets = {} }: JobOrder): string {
  const variables = Object.entries(secrets).map(([name, value]) => secretLine(name, value));
  // A job may fill the disk: what has been written in the place of its exit code reserves the space for that.
  const words = {
    ...{ command, environment: environment.label, details, run: runner(id, environment) },
    "exit.new": "reserved",
  };
  const files = Object.entries(words).flatMap(([name, text]) =>
    text === undefined ? [] : [`printf '%s\\n' ${shellWord(text)} >"$d/${name}" &&`],
  );
  // Where a shell has no \`printf\` of its own, what it prints is an argument, which everyone could read. For this text,
  // some shells need space in the temporary folder.
  const env = variables.length === 0 ? [] : [`cat >"$d/env" <<'IG_SECRETS' &&`, ...variables, "IG_SECRETS"];
  return `${common}d="$j/${id}"
has setsid || fail noSetsid
[ -r /proc/self/stat ] || fail noProc
cd -- ${folderWord(folder)} || fail noFolder
mkdir -p "$j" && mkdir "$d" &&
${[...env, ...files].join("\n")}
pwd >"$d/folder" && : >"$d/log" && printf '%s\\n' "$(date +%s) $(uname -n)" >"$d/started" || { rm -rf "$d"; rmdir "$j" && rmdir "\${j%/jobs}"; fail noSpace; }
h=\${SHELL:-/bin/sh}; g=-l; case \${h##*/} in csh|tcsh) g= ;; esac
r='exec /bin/sh "$INFERENCE_GATEWAY_JOB/run"'
begin() {
  echo "$r" | (umask "$o"; INFERENCE_GATEWAY_JOB="$d" exec setsid "$@") >/dev/null 2>&1 & k=$!
  i=0; until [ -e "$d/pid" ] || ! of "$k" || [ $i -ge 50 ]; do i=$((i + 1)); run sleep 0.1; done
}
# A profile that starts another shell instead gives it the same line as its input. One that ends the shell is left out.
begin "$h" $g -c "$r"
[ -e "$d/pid" ] || of "$k" || begin /bin/sh "$d/run"
${list}`;
}

function secretLine(name: string, value: string): string {
  if (!/^[A-Z_][A-Z0-9_]{0,60}$/.test(name) || !isVisible(value) || /\p{Cc}/u.test(value))
    throw new TypeError("A secret of a job must be a variable with one line");
  return `${name}=${shellWord(value)}`;
}

/**
 * The process that leads the job's session. It outlives a request to end, so that it can note the exit code, which is
 * that of the command. Python would keep back what it prints to a file.
 */
function runner(id: string, environment: JobEnvironment): string {
  return `d=$INFERENCE_GATEWAY_JOB
# A profile that waits for another shell, such as newgrp, returns to the login shell afterwards, which runs this again.
[ ! -e "$d/pid" ] || exit 0
export INFERENCE_GATEWAY_JOB=${id} PYTHONUNBUFFERED=1
exec </dev/null >>"$d/log" 2>&1
w=$(cat "/proc/$$/stat"); w=\${w##*") "}; set -f; set -- $w; set +f
c=$(cat "$d/command"); f=$(cat "$d/folder")
[ -f "$d/env" ] && { set -a; . "$d/env"; set +a; }
(umask 077; echo "$$ \${20} $4 $(cat /proc/sys/kernel/random/boot_id)" >"$d/pid.new" && mv "$d/pid.new" "$d/pid") || exit 1
trap : HUP INT TERM
cd -- "$f" || exit 1
# A file that the login shell always reads may start another shell, which would run nothing and report success.
for h in "\${SHELL:-/bin/sh}" bash sh; do "$h" -c 'exit 42' >/dev/null 2>&1; [ $? -ne 42 ] || break; done
${activation(environment)}
rm -f "$d/env"
(umask 077; echo "$s $(date +%s)" >"$d/exit.new" && mv "$d/exit.new" "$d/exit")`;
}

/**
 * Runs the command; what a conda environment needs is written for Bash. The environment comes first in `PATH` although the
 * shell reads the user's files again, in which conda may activate another one.
 */
function activation({ kind, path }: JobEnvironment): string {
  const prepend = `v=${shellWord(path)}; unset PYTHONHOME
export INFERENCE_GATEWAY_BIN="$v/bin" PATH="$v/bin:$PATH"
case \${h##*/} in
  fish) c='set -gx PATH $INFERENCE_GATEWAY_BIN $PATH; '$c ;;
  *csh) c='setenv PATH "\${INFERENCE_GATEWAY_BIN}:\${PATH}"; '$c ;;
  bash|zsh) c='PATH="$INFERENCE_GATEWAY_BIN:$PATH"; '$c ;;
esac`;
  const plain = `"$h" -c "$c"; s=$?`;
  if (kind === "login") return plain;
  if (kind === "venv") return `${prepend}; export VIRTUAL_ENV="$v"\n${plain}`;
  return `${prepend}; export CONDA_PREFIX="$v" CONDA_DEFAULT_ENV="\${v##*/}"
if command -v bash >/dev/null 2>&1; then
  bash -c 'for f in "$CONDA_PREFIX"/etc/conda/activate.d/*.sh; do [ -r "$f" ] && . "$f"; done; exec "$0" -c "$1"' "$h" "$c"; s=$?
else ${plain}; fi`;
}

/** Prints the variables of a running job that nobody else may read, one in each line, as a shell reads them. */
export function secretSteps(id: string): string {
  return `cat "$HOME/.cache/inference-gateway/jobs/${id}/env"`;
}

/** Prints the last part of a job's log. */
export function tailSteps(id: string): string {
  return `tail -c 65536 "$HOME/.cache/inference-gateway/jobs/${id}/log"`;
}

/** Prints the last part of a job's log, and then what is added, until the job has ended. */
export function logSteps(id: string): string {
  return `${common}d="$j/${id}"
over() { [ -e "$d/exit" ] || { [ -e "$d/pid" ] && { members "$d"; [ ! "$m" ]; }; }; }
if over; then run tail -c ${logStart} "$d/log"; exit 0; fi
tail -c ${logStart} -f "$d/log" </dev/null 3<&- & k=$!
trap 'kill $k $p; exit 143' TERM
until over; do run sleep 2; done
run sleep 1; kill $k; exit 0`;
}

/**
 * Ends a job for sure: asks the command to end and waits, then asks everything in its session, and then kills it.
 * Nothing outside of the session receives a signal, and each process is checked again before it does.
 *
 * @param seconds How long the command, and then what it has left behind, may take to save its work.
 */
export function stopSteps(id: string, seconds = 60): string {
  return `${common}d="$j/${id}"
each() { members "$d"; for q in $m; do [ "$q" = "$p0" ] || kill "-$1" "$q"; done; }
others() { members "$d"; r=; for q in $m; do [ "$q" = "$p0" ] || r="$r $q"; done; [ "$r" ]; }
gone() { i=0; while others && [ $i -lt "$1" ]; do i=$((i + 1)); run sleep 0.5; done; ! others; }
below() { for q in $m; do w=$(cat "/proc/$q/stat"); w=\${w##*") "}; set -f; set -- "$1" $w; set +f; [ "$3" = "$1" ] && echo "$q"; done; }
shell() { tr '\\000' '\\n' <"/proc/$1/cmdline" | { read -r a && read -r b && case "$a $b" in *"sh -"*c) ;; *) false ;; esac; }; }
asked() { for c in $(below "$1"); do echo "$c"; shell "$c" && asked "$c"; done; }
alive() { for q in $first; do of "$q" && [ "$s" = "$s0" ] && return 0; done; return 1; }
members "$d"; [ "$m" ] && : >"$d/stopped"
# A shell that runs a command doesn't pass the request on, so that what it runs is asked as well.
first=$(asked "$p0")
for q in $first; do kill -TERM "$q"; done
i=0; g=0; while [ "$first" ] && others && [ $i -lt ${seconds * 2} ] && [ $g -lt 10 ]; do
  run sleep 0.5; i=$((i + 1)); alive || g=$((g + 1))
done
others && { each TERM; gone ${seconds * 2} || { each KILL; gone 10; }; }
i=0; while members "$d" && [ "$m" ] && [ $i -lt 6 ]; do i=$((i + 1)); run sleep 0.3; done
for q in $m; do kill -KILL "$q"; done
${list}`;
}

/** Removes what we know of jobs whose processes have ended, and nothing else. */
export function removeSteps(ids: readonly string[]): string {
  return `${common}for x in ${ids.join(" ")}; do
  d="$j/$x"; members "$d"; [ "$m" ] && continue
  for f in command folder environment details env started run pid pid.new exit exit.new told stopped log; do rm -f "$d/$f"; done
  rmdir "$d"
done
rmdir "$j" && rmdir "\${j%/jobs}"
${list}`;
}

/** Notes that the user was notified of the end of these jobs, for other machines of the user. */
export function toldSteps(ids: readonly string[]): string {
  return `${common}for d in ${ids.join(" ")}; do [ -d "$j/$d" ] && : >"$j/$d/told"; done`;
}
