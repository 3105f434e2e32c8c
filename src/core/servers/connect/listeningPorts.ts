import { t } from "@vscode/l10n";
import { inertText } from "../../kernel/foreignText.ts";
import { programName } from "../gpu/gpuProcesses.ts";
import type { Server } from "../server.ts";
import { readPort, recordPorts } from "./recordPorts.ts";
import type { RemotePort } from "./sshSession.ts";
import { sshTargetOf } from "./sshTarget.ts";

/** Maximum number of ports of a server that are listed. */
const mostPorts = 500;
const longestName = 60;

/**
 * Steps that list the ports on which programs listen, as every Linux kernel lists them: tools such as `ss` are often
 * missing in containers. Only the programs of the account are known, unless it is root. Nothing is written.
 */
export const listeningSteps = `l=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep ' 0A ' | head -n ${mostPorts})
echo "me $(id -u) $(id -un)"
printf '%s\\n' "$l" | sed 's/^/port /'
i=$(printf '%s\\n' "$l" | while read -r n a r s q t m u o i z; do printf ' -e socket:.%s]' "$i"; done)
printf '%s\\n' "$l" | while read -r n a r s q t m u z; do printf '%s\\n' "$u"; done | sort -u | head -n 30 |
while read -r u; do echo "user $u $(id -un "$u" 2>/dev/null || grep -m 1 "^[^:]*:[^:]*:$u:" /etc/passwd | cut -d : -f 1)"; done
ls -l /proc/[0-9]*/fd 2>/dev/null | grep -e '^/proc/' $i | while read -r x; do
  case $x in
    /proc/*) p=\${x#/proc/}; p=\${p%%/*} ;;
    *) x=\${x##*socket:?}; echo "socket \${x%]} $(tr '\\0\\n' '  ' <"/proc/$p/cmdline" | cut -c 1-400)" ;;
  esac
done | head -n ${mostPorts}`;

/** A port of a server on which a program listens. */
interface ListeningPort {
  readonly remote: RemotePort;
  /** Undefined for a program of another user. */
  readonly program: string | undefined;
  readonly user: string | undefined;
  readonly isOwn: boolean;
}

/** What the steps have printed. Whatever a program calls itself, it is only shown. */
export function readListening(lines: readonly string[]): readonly ListeningPort[] {
  const users = new Map<string, string>();
  const programs = new Map<string, string>();
  let me = "";
  for (const line of lines) {
    const [, word, key = "", rest = ""] = /^(me|user|socket) (\S{1,60}) ?(.{0,500})$/.exec(line) ?? [];
    if (word === "me") me = key;
    if ((word === "me" || word === "user") && rest !== "") users.set(key, rest);
    const program = word === "socket" ? programName(rest) : undefined;
    if (program !== undefined && !programs.has(key)) programs.set(key, program);
  }
  const found = new Map<number, ListeningPort>();
  for (const line of lines) {
    const [mark, , local = "", , state, , , , uid = "", , inode = ""] = line.trim().split(/\s+/, 12);
    const [, address = "", hex = ""] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(local) ?? [];
    const port = readPort(Number.parseInt(hex, 16));
    if (mark !== "port" || state !== "0A" || port === undefined) continue;
    const [program, user] = [programs.get(inode), users.get(uid)];
    const listening = {
      remote: { host: hostOf(address), port },
      program: program === undefined ? undefined : inertText(program, longestName),
      user: user === undefined ? undefined : inertText(user, longestName),
      isOwn: uid === me,
    };
    // The same program often listens at both addresses of the machine.
    const earlier = found.get(port);
    if (earlier === undefined || (earlier.remote.host !== "localhost" && found.size < mostPorts))
      found.set(port, listening);
  }
  return [...found.values()];
}

/** The address in the kernel's notation, whose bytes are in the order of the machine. Usually, it is all or loopback. */
function hostOf(address: string): string {
  const isLoopback = /^(?:0{8}|0{32}|.{6}7F|0{24}01000000|0{16}FFFF0000.{6}7F|0{16}FFFF00000{8})$/;
  const bytes = isLoopback.test(address) || address.length !== 8 ? undefined : address.match(/../g);
  return (
    bytes
      ?.map((byte) => Number.parseInt(byte, 16))
      .toReversed()
      .join(".") ?? "localhost"
  );
}

/** A port that can be forwarded. */
export interface PortChoice {
  readonly remote: RemotePort;
  /** What the port is for, according to the program that listens or to the record; may be empty. */
  readonly name: string;
  /** Whose program it is, or where the record names it. */
  readonly detail: string;
}

/** The ports that the record or the server names, those of the user first. SSH itself isn't one of them. */
export function portChoices(server: Server, listening: readonly ListeningPort[]): readonly PortChoice[] {
  const named = new Map(
    recordPorts(server.record)
      .filter(({ service }) => service !== "ssh")
      .map((each) => [each.inner ?? each.port, each]),
  );
  const heard = listening.map((each) => {
    const { remote, program, user, isOwn } = each;
    const record = named.get(remote.port);
    named.delete(remote.port);
    const detail = isOwn ? t("you") : (user ?? "");
    const rank = isOwn ? 0 : record === undefined ? 2 : 1;
    return { rank, remote, name: program ?? record?.name ?? record?.service ?? "", detail };
  });
  const rest = [...named].map(([port, { service, name = service, source }]) => ({
    rank: 1,
    remote: { host: "localhost", port },
    name,
    detail: t("from the field {0} of the record", inertText(source, longestName)),
  }));
  return [...heard, ...rest]
    .filter(({ remote }) => remote.port !== 22 && remote.port !== sshTargetOf(server)?.port)
    .toSorted((one, other) => one.rank - other.rank || one.remote.port - other.remote.port)
    .map(({ remote, name, detail }) => ({ remote, name, detail }));
}
