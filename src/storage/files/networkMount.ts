import { readFileSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** File systems whose files may be open on other machines, as the list of mounts names them. */
const networkNames =
  /^(?:nfs\d?|cifs|smb\d?|smbfs|afs|ceph|lustre|gpfs|9p|virtiofs|glusterfs|ocfs2|gfs2?|beegfs|davfs\d?|coda|ncpfs|prl_fs|vboxsf|fuse\.(?:sshfs|rclone|s3fs|gcsfuse|goofys|davfs2?|glusterfs|ceph|ceph-fuse|mountpoint-s3|smbnetfs|juicefs|curlftpfs|vmhgfs-fuse|google-drive-ocamlfuse|onedriver))$/i;

/**
 * Network file systems by their types, as returned by `statfs`: NFS, SMB and CIFS, AFS, Ceph, Lustre, GPFS, and 9p. For
 * where there is no list of mounts.
 */
const networkTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x6b414653, 0x00c36400, 0x0bd00bd0, 0x47504653,
  0x01021997,
]);

/** Whether other machines may have the file open. */
export function isOnNetwork(path: string): boolean {
  if (process.platform === "win32") return isNetworkPath(path);
  const name = mountedAs(readMounts(), dirname(path));
  if (name !== undefined) return networkNames.test(name);
  try {
    return networkTypes.has(statfsSync(dirname(path)).type >>> 0);
  } catch {
    return false;
  }
}

/** Whether a Windows path begins with a server: `\\server\share`, but not `\\?\C:\` and `\\.\`. */
export function isNetworkPath(path: string): boolean {
  return /^(?:\\\\|\/\/)(?:[?.][\\/]UNC[\\/]|(?![?.][\\/]))/i.test(path);
}

/** Whether a folder is on a network file system, by a list of mounts in the format of `/proc/mounts`. */
export function isNetworkMount(mounts: string, folder: string): boolean {
  return networkNames.test(mountedAs(mounts, folder) ?? "");
}

/**
 * The type of the file system that a folder is on: that of the longest mount point above it, the last one if several.
 */
function mountedAs(mounts: string, folder: string): string | undefined {
  let best = "";
  let name: string | undefined;
  for (const line of mounts.split("\n")) {
    const [, point, type] = line.split(" ");
    if (point === undefined || type === undefined) continue;
    // Blanks, tabs and backslashes in the path are written as octal numbers.
    const path = point.replace(/\\([0-7]{3})/g, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    );
    const isAbove = path === "/" || folder === path || folder.startsWith(`${path}/`);
    if (!isAbove || path.length < best.length) continue;
    best = path;
    name = type;
  }
  return name;
}

function readMounts(): string {
  try {
    return readFileSync("/proc/self/mounts", "utf8");
  } catch {
    return "";
  }
}
