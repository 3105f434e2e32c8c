import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { SshTarget } from "../connect/sshTarget.ts";

/** What a GPU reports at one moment. What it doesn't report is undefined, never 0. */
export interface GpuSample {
  readonly index: number;
  readonly name: string | undefined;
  readonly utilizationPercent: number | undefined;
  readonly memoryUsedMiB: number | undefined;
  readonly memoryTotalMiB: number | undefined;
  readonly temperatureC: number | undefined;
  readonly powerW: number | undefined;
}

export interface GpuFrame {
  readonly samples: readonly GpuSample[];
  /** GPUs that the driver knows and can't reach. */
  readonly lost: number;
}

/** Fields that every driver knows: one unknown field makes the whole query fail. The name is the last, as it may contain commas. */
const query = "index,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw,name";

/**
 * The options and arguments of the user's own `ssh`. Nothing in them is secret, nothing is asked, and the user's own
 * connections and forwardings are left alone. The login shell sees only `exec sh -s`.
 *
 * @param keyAlias The name under which the server's key is stored, if it isn't its address.
 */
export function gpuSshArguments({ host, user, port }: SshTarget, keyAlias?: string): readonly string[] {
  const options = [
    "BatchMode=yes",
    "ConnectTimeout=10",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=2",
    // Otherwise, this connection could become the one that the user's own sessions share.
    "ControlMaster=no",
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    "RequestTTY=no",
    "PermitLocalCommand=no",
    "ForwardAgent=no",
    "ForwardX11=no",
    "LogLevel=ERROR",
    ...(keyAlias === undefined ? [] : [`HostKeyAlias=${keyAlias}`, "CheckHostIP=no"]),
  ];
  return [
    "-T",
    ...options.flatMap((option) => ["-o", option]),
    ...["-p", String(port)],
    ...(user === undefined ? [] : ["-l", user]),
    ...["--", host, "exec sh -s"],
  ];
}

/**
 * What the server runs, sent as the input of its shell. It ends as soon as the input is closed, also when the connection
 * or this program is killed. Everything before the first mark is what the user's profile prints.
 *
 * @param seconds A whole number.
 */
export function gpuScript(seconds: number): string {
  return `ig() {
PATH="$PATH:/usr/local/bin:/usr/bin:/usr/local/nvidia/bin:/usr/lib/wsl/lib"
exec 3<&0
echo "IG1 begin"
command -v nvidia-smi >/dev/null 2>&1 || { echo "IG1 end 127"; exit 0; }
nvidia-smi --query-gpu=${query} --format=csv,noheader,nounits -l ${Math.round(seconds)} </dev/null 3<&- 2>&1 & c=$!
( cat <&3 >/dev/null; kill "$c"; sleep 1; kill -9 "$c" ) >/dev/null 2>&1 & w=$!
exec 3<&-
wait "$c"; s=$?
kill "$w" 2>/dev/null
echo "IG1 end $s"
exit 0
}
ig
`;
}

const longestLine = 1_000;
const mostGpus = 64;
const mostWords = 2_000;

/** Reads what the script prints, whatever a server sends instead: in linear time, and never holding more than one frame. */
export class GpuStream {
  readonly #onFrame: (frame: GpuFrame) => void;
  #line = "";
  #isTooLong = false;
  #samples: GpuSample[] = [];
  readonly #lost = new Set<string>();
  #hasBegun = false;
  #end: number | undefined;
  #words = "";

  constructor(onFrame: (frame: GpuFrame) => void) {
    this.#onFrame = onFrame;
  }

  /** Whether the shell of the server has run the script. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** With what the tool ended; undefined while it runs, or if the connection was lost. */
  get end(): number | undefined {
    return this.#end;
  }

  /** What the tool said instead of values. */
  get words(): string {
    return this.#words;
  }

  read(chunk: string): void {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      this.#keep(chunk.slice(from, end));
      if (!this.#isTooLong) this.#take(this.#line.trim());
      this.#line = "";
      this.#isTooLong = false;
      from = end + 1;
    }
    this.#keep(chunk.slice(from));
  }

  /** Called when nothing has arrived for a moment: the rows so far are a whole frame, however many GPUs there were before. */
  flush(): void {
    if (this.#samples.length > 0) this.#onFrame({ samples: this.#samples, lost: this.#lost.size });
    this.#samples = [];
  }

  #keep(piece: string): void {
    if (this.#line.length + piece.length > longestLine) {
      this.#isTooLong = true;
      this.#line = "";
    } else if (!this.#isTooLong) this.#line += piece;
  }

  #take(line: string): void {
    if (!this.#hasBegun) {
      this.#hasBegun = line === "IG1 begin";
      return;
    }
    const end = /^IG1 end (\d{1,3})$/.exec(line)?.[1];
    if (end !== undefined) {
      this.flush();
      this.#end = Number(end);
      return;
    }
    const sample = readSample(line);
    if (sample !== undefined) {
      const last = this.#samples.at(-1);
      if (last !== undefined && sample.index <= last.index) this.flush();
      if (this.#samples.length < mostGpus) this.#samples.push(sample);
    } else if (/^Unable to determine the device handle for gpu/i.test(line)) {
      if (this.#lost.size < mostGpus) this.#lost.add(line.slice(0, 120));
    } else if (line !== "" && this.#words.length < mostWords) this.#words += `${line}\n`;
  }
}

/** Undefined for anything but a row of values. A value that isn't a number is unknown and doesn't spoil the row. */
function readSample(line: string): GpuSample | undefined {
  const cells: string[] = [];
  let from = 0;
  while (cells.length < 6) {
    const comma = line.indexOf(",", from);
    if (comma === -1) return undefined;
    cells.push(line.slice(from, comma).trim());
    from = comma + 1;
  }
  const [index = "", utilization, used, total, temperature, power] = cells;
  if (!/^\d{1,3}$/.test(index)) return undefined;
  return {
    index: Number(index),
    name: gpuName(line.slice(from)),
    utilizationPercent: amount(utilization, 100),
    memoryUsedMiB: amount(used),
    memoryTotalMiB: amount(total),
    temperatureC: amount(temperature),
    powerW: amount(power),
  };
}

function amount(text = "", maximum = 100_000_000): number | undefined {
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return undefined;
  const value = Number(text);
  return value <= maximum ? value : undefined;
}

/** Names are chosen by whoever runs the machine, and models read them. */
function gpuName(text: string): string | undefined {
  const name = sanitizeLabel(text, 80);
  return /^[\p{L}\p{N}][\p{L}\p{N} .,()/+_-]{0,79}$/u.test(name) ? name : undefined;
}

/** Why the GPUs of a server aren't watched any longer, and whether trying again without the user makes sense. */
export const gpuProblems = {
  unreachable: {
    retries: true,
    text: () => t("The server can't be reached over SSH. Check that it is running and accepts connections."),
  },
  lost: { retries: true, text: () => t("The SSH connection to the server was lost.") },
  denied: {
    retries: false,
    text: () =>
      t(
        "The server refused the SSH sign-in. Watching uses your SSH keys and never asks for a password. Set up a key for the server, or add its key to your SSH agent.",
      ),
  },
  unknownKey: {
    retries: false,
    text: () =>
      t("The server's SSH key isn't known yet. Connect once in a terminal and verify the key there."),
  },
  changedKey: {
    retries: false,
    text: () =>
      t(
        "The server's SSH key has changed. Either the server was reinstalled, or someone is intercepting the connection. Check with its administrator before you accept the new key.",
      ),
  },
  noSsh: {
    retries: false,
    text: () => t("The program “ssh” wasn't found on this machine. Install OpenSSH and try again."),
  },
  noShell: {
    retries: false,
    text: () =>
      t(
        "The server didn't run the command over SSH. Your account there may not be allowed to run commands, or it has no POSIX shell.",
      ),
  },
  noTool: {
    retries: false,
    text: () => t("“nvidia-smi” wasn't found on the server. Only NVIDIA GPUs can be watched."),
  },
  driver: {
    retries: false,
    text: () =>
      t("The server's NVIDIA driver isn't working. If it was updated recently, restart the server."),
  },
  noGpu: { retries: false, text: () => t("The server's NVIDIA driver didn't find any GPUs.") },
  silent: { retries: false, text: () => t("The server didn't report any GPU values in time.") },
  ended: { retries: false, text: () => t("“nvidia-smi” exited on the server.") },
} as const satisfies Readonly<Record<string, { readonly retries: boolean; text(): string }>>;

export type GpuProblem = keyof typeof gpuProblems;

/** Why a connection ended, judged by what was printed rather than by exit codes, which tools use differently. */
export function gpuProblemOf(stream: GpuStream, errors: string): GpuProblem {
  if (!stream.hasBegun) {
    if (/REMOTE HOST IDENTIFICATION HAS CHANGED|host key for .{0,300} has changed/i.test(errors))
      return "changedKey";
    if (/Host key verification failed|No .{0,40}host key is known/i.test(errors)) return "unknownKey";
    if (/Permission denied|Too many authentication failures/i.test(errors)) return "denied";
    return /refused|timed out|resolve hostname|No route|unreachable|closed by|reset by|banner exchange/i.test(
      errors,
    )
      ? "unreachable"
      : "noShell";
  }
  const { end, words } = stream;
  if (end === undefined) return "lost";
  if (/couldn't communicate with the NVIDIA driver|Failed to initialize NVML/i.test(words)) return "driver";
  if (/No devices were found/i.test(words)) return "noGpu";
  return end === 127 ? "noTool" : "ended";
}
