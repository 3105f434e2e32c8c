import assert from "node:assert/strict";
import { isNetworkMount, isNetworkPath, isOnNetwork } from "../../../src/storage/files/networkMount.ts";

const mounts = `sysfs /sys sysfs rw,nosuid 0 0
/dev/sda1 / ext4 rw,relatime 0 0
tmpfs /tmp tmpfs rw 0 0
nas:/export/home /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/local xfs rw 0 0
//nas/share /mnt/my\\040share cifs rw 0 0
me@box:/data /mnt/ssh fuse.sshfs rw 0 0
/dev/sdc1 /mnt/usb fuseblk rw 0 0
C:\\134 /mnt/c 9p rw,aname=drvfs 0 0
/dev/sdd1 /over ext4 rw 0 0
nas:/over /over nfs rw 0 0
`;

describe("A network file system", () => {
  for (const [folder, expected] of [
    ["/root/.config", false],
    ["/tmp/x", false],
    ["/home/me/.config", true],
    ["/home", true],
    ["/homework", false],
    ["/home/local/me", false],
    ["/mnt/my share/data", true],
    ["/mnt/ssh/data", true],
    ["/mnt/usb/data", false],
    ["/mnt/c/Users/me", true],
    ["/over/data", true],
  ] as const)
    it(`is ${expected ? "" : "not "}recognized for ${folder} by the list of mounts`, () =>
      assert.equal(isNetworkMount(mounts, folder), expected));

  for (const [path, expected] of [
    ["\\\\nas\\share\\conversations.db", true],
    ["//nas/share/conversations.db", true],
    ["\\\\?\\UNC\\nas\\share\\conversations.db", true],
    ["\\\\?\\C:\\Users\\me\\conversations.db", false],
    ["C:\\Users\\me\\conversations.db", false],
  ] as const)
    it(`is ${expected ? "" : "not "}recognized for ${path} on Windows`, () =>
      assert.equal(isNetworkPath(path), expected));

  it("isn't found for a folder that doesn't exist on this machine's own disk", () => {
    assert.equal(isOnNetwork("/proc/no/such/folder/conversations.db"), false);
  });
});
