import { t } from "@vscode/l10n";
import type { SshTarget } from "./sshTarget.ts";

/** Where a script runs, and as whom. */
export interface RemotePlace {
  readonly target: SshTarget;
  /** The name under which the server's key is stored, if it isn't its address. */
  readonly keyAlias?: string | undefined;
  /** The user's SSH configuration, if it isn't the usual one. */
  readonly configPath?: string | undefined;
}

/**
 * The options and arguments of the user's own `ssh`. Nothing in them is secret, nothing is asked, and the user's own
 * connections and forwardings are left alone. The login shell sees only `exec /bin/sh -s`, which means the same in all
 * of them, whatever `PATH` is.
 */
export function sshArguments({ target, keyAlias, configPath }: RemotePlace): readonly string[] {
  const { host, user, port } = target;
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
    ...(configPath === undefined ? [] : ["-F", configPath]),
    ...options.flatMap((option) => ["-o", option]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(user === undefined ? [] : ["-l", user]),
    ...["--", host, "exec /bin/sh -s"],
  ];
}

/** How one port of this machine is forwarded to a port of a server. */
interface TunnelEnds {
  /** The socket through which the connection is controlled; undefined where `ssh` has none, as on Windows. */
  readonly control: string | undefined;
  /** A socket, or a port of this machine. */
  readonly local: string | number;
  /** As the server reaches it. */
  readonly remote: RemotePort;
}

/** A port as the server itself reaches it. */
export interface RemotePort {
  /** `localhost` unless the program listens at another address only. */
  readonly host: string;
  readonly port: number;
}

/**
 * A connection of its own, which never becomes the one that the user's sessions share. Its forwarding can't be on the
 * command line: `ssh` would open the forwardings of the user's configuration with it, or clear all of them. So it is
 * added through the socket. Without one, the user's own forwardings must be free.
 */
export function tunnelArguments(place: RemotePlace, ends: TunnelEnds): readonly string[] {
  const { control } = ends;
  const ways =
    control === undefined
      ? ["ClearAllForwardings=no", "ExitOnForwardFailure=yes"]
      : ["ControlMaster=yes", "ControlPersist=no"];
  return [
    ...ways.flatMap((option) => ["-o", option]),
    // What the server says about a port that can't be reached.
    ...["-o", "LogLevel=INFO"],
    ...(control === undefined ? ["-L", forwarding(ends)] : ["-S", control]),
    ...sshArguments(place),
  ];
}

/** Adds the forwarding to a connection that is controlled through a socket. No configuration matters for this. */
export function forwardArguments(control: string, ends: TunnelEnds): readonly string[] {
  return ["-F", "/dev/null", "-S", control, "-O", "forward", "-L", forwarding(ends), "tunnel"];
}

function forwarding({ local, remote: { host, port } }: TunnelEnds): string {
  const near = typeof local === "number" ? `127.0.0.1:${local}` : local;
  return `${near}:${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Seconds until a lost connection is retried, the more the more often it has failed. */
export const retrySeconds = [5, 15, 60] as const;

/** What a script prints before anything else. What comes before it is printed by the user's profile. */
export const beginMark = "IG1 begin";

/**
 * What every script begins with. A profile may have printed a line without its end, may have started `zsh` instead, and
 * may have exported what changes the meaning of `cd`, `grep`, the sizes of `ls` and, in Bash, of `read`, which would end
 * after a while.
 */
const prelude = `unset TMOUT CDPATH GREP_OPTIONS BLOCK_SIZE LS_BLOCK_SIZE
[ -z "$ZSH_VERSION" ] || emulate sh
PATH="\${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin"
printf '\\n%s\\n' "${beginMark}"`;

/**
 * A script for `sh`, sent as its input. It is read as a whole before it runs, and it ends with everything that it
 * started as soon as the input is closed, even if the connection or this program is killed. Another line of input is
 * signaled to the steps as USR1, unless it begins with `ask`: then, the function `ask` gets the rest of it.
 *
 * @param steps Run in a subshell. They start what may take long with `run`, so that a signal can end it.
 * @param functions Declarations that the steps use, including `ask` if there is something to ask.
 */
export function remoteScript(steps: string, functions = ""): string {
  return `ig() {
${prelude}
PATH="$PATH:/opt/rocm/bin:/usr/local/nvidia/bin:/usr/lib/wsl/lib"
exec 3<&0
${functions}
( p=
trap 'kill $p; exit 143' TERM
has() { command -v "$1" >/dev/null 2>&1; }
run() { "$@" </dev/null 2>&1 3<&- & p=$!; wait "$p"; }
${steps} ) 2>/dev/null 3<&- & c=$!
( j=
while read -r x y; do
  case $x in ask) ask "$y" </dev/null >&4 3<&- & j=$! ;; *) kill -USR1 "$c" ;; esac
done <&3
kill "$c" $j; sleep 1; kill -9 "$c" ) 4>&1 >/dev/null 2>&1 & w=$!
exec 3<&-
wait "$c"
kill "$w" 2>/dev/null
exit 0
}
ig
`;
}

/**
 * A script for `sh`, sent as its input, whose steps then have the rest of the input and the output for themselves. It is
 * read as a whole before it runs. The steps have to end when their input does, or when nobody reads their output. Their
 * messages are in English, because they are searched for reasons, and names keep the user's encoding.
 */
export function streamScript(steps: string): string {
  return `ig() {
${prelude}
unset TAR_OPTIONS
export LANG="\${LC_ALL:-$LANG}" LANGUAGE= LC_MESSAGES=C; unset LC_ALL
( ${steps} )
echo "IG1 end $?"
exit 0
}
ig
`;
}

/**
 * Why a server can't be used over SSH, and whether retrying without the user makes sense: `later` if the user has to
 * change something on this machine first, and the server isn't asked to sign in before that.
 */
export const sshProblems = {
  unreachable: {
    retries: true,
    text: () => t("The server can't be reached over SSH. Check that it is running and accepts connections."),
  },
  lost: { retries: true, text: () => t("The SSH connection to the server was lost.") },
  noReply: {
    retries: true,
    text: () =>
      t(
        "The server didn't run the command over SSH in time. A script that it runs when you sign in, such as .bashrc, may be waiting for input or may start another shell.",
      ),
  },
  denied: {
    retries: false,
    text: () =>
      t(
        "The server refused the SSH sign-in. Your SSH keys are used, and a password is never requested. Set up a key for the server, or add its key to your SSH agent.",
      ),
  },
  unknownKey: {
    retries: "later",
    text: () =>
      t("The server's SSH key isn't known yet. Connect once in a terminal and verify the key there."),
  },
  changedKey: {
    retries: "later",
    text: (name = t("The server")) =>
      t(
        "{0} has a new SSH key. Expected after a reinstall; otherwise, someone may be intercepting the connection. Compare the fingerprint with your console.",
        name,
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
} as const satisfies Readonly<
  Record<string, { readonly retries: boolean | "later"; text(name?: string): string }>
>;

/** Why a server can't be used over SSH. */
export type SshProblem = keyof typeof sshProblems;

/** Why something on a server didn't run. */
export interface SshReport {
  readonly problem: SshProblem;
  /** What `ssh` and the server's shell reported. */
  readonly errors: string;
}

/** Whether it is Windows that has answered: it names the error in English and quotes the word, whatever its language. */
export function isWindowsShell(errors: string): boolean {
  return /CommandNotFoundException|is not recognized as|['"„“«]exec['"”»]/i.test(errors);
}

/**
 * Why a script didn't begin, judged by what `ssh` and the server's shell reported: the exit code is the same for most
 * reasons.
 */
export function sshProblemOf(errors: string): SshProblem {
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED|host key for .{0,300} has changed/i.test(errors))
    return "changedKey";
  if (/Host key verification failed|No .{0,40}host key is known/i.test(errors)) return "unknownKey";
  // What a profile isn't allowed to do is no reason: the client names the ways in brackets.
  if (/Permission denied \(|Too many authentication failures/i.test(errors)) return "denied";
  return /refused|timed out|resolve hostname|No route|unreachable|closed by|reset by|banner exchange/i.test(
    errors,
  )
    ? "unreachable"
    : "noShell";
}
