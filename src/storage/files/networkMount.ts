import { readFileSync } from "node:fs";
import { dirname } from "node:path";

/** File systems whose files may be open on other machines, as the list of mounts names them. */
const networkNames = new Set([
  ..."nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs afs ceph lustre gpfs 9p virtiofs glusterfs".split(" "),
  ..."ocfs2 gfs gfs2 beegfs davfs davfs2 coda ncpfs prl_fs vboxsf".split(" "),
]);
/** Those that are programs, after `fuse.`. */
const networkPrograms = new Set([
  ..."sshfs rclone s3fs gcsfuse goofys davfs davfs2 glusterfs ceph ceph-fuse mountpoint-s3".split(" "),
  ..."smbnetfs juicefs curlftpfs vmhgfs-fuse google-drive-ocamlfuse onedriver".split(" "),
]);

/** Whether other machines may have the file open. Only Linux has a list of mounts. */
export function isOnNetwork(path: string): boolean {
  return process.platform === "win32" ? isNetworkPath(path) : isNetworkMount(readMounts(), dirname(path));
}

/** Whether a Windows path begins with a server: `\\server\share`, but not `\\?\C:\` and `\\.\`. */
export function isNetworkPath(path: string): boolean {
  return /^(?:\\\\|\/\/)(?:[?.][\\/]UNC[\\/]|(?![?.][\\/]))/i.test(path);
}

/**
 * Whether a folder is on a network file system, by a list of mounts in the format of `/proc/mounts`: the longest mount
 * point above it counts, the last one if there are several.
 */
export function isNetworkMount(mounts: string, folder: string): boolean {
  let [best, name] = ["", ""];
  for (const line of mounts.split("\n")) {
    const [, point = "", type = ""] = line.split(" ");
    // Blanks, tabs and backslashes in the path are written as octal numbers.
    const path = point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    const isAbove = path === "/" || folder === path || folder.startsWith(`${path}/`);
    if (isAbove && path.length >= best.length) [best, name] = [path, type];
  }
  const [kind = "", program = ""] = name.toLowerCase().split(/(?<=^fuse)\./);
  return networkNames.has(kind) || networkPrograms.has(program);
}

function readMounts(): string {
  try {
    return readFileSync("/proc/self/mounts", "utf8");
  } catch {
    return "";
  }
}
