import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigFile } from "../../../src/processes/servers/configFile.ts";
import {
  readConfigFile,
  writeConfigFile,
  writePrivateFile,
} from "../../../src/processes/servers/configFile.ts";

async function read(path: string): Promise<ConfigFile> {
  const file = await readConfigFile(path);
  assert.ok(typeof file === "object", String(file));
  return file;
}

describe("The user's SSH configuration on disk", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ssh-config-"));
    path = join(folder, "config");
  });

  it("is created for its owner only if it doesn't exist", async () => {
    const inner = join(folder, ".ssh", "config");
    const file = await read(inner);
    assert.equal(file.exists, false);
    assert.equal(await writeConfigFile(file, "Host a\n"), undefined);
    assert.equal(readFileSync(inner, "utf8"), "Host a\n");
    assert.equal(statSync(inner).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, ".ssh")).mode & 0o777, 0o700);
  });

  it("keeps its permissions, and leaves no other file behind", async () => {
    writeFileSync(path, "a\n", { mode: 0o640 });
    chmodSync(path, 0o640);
    assert.equal(await writeConfigFile(await read(path), "b\na\n"), undefined);
    assert.equal(statSync(path).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(folder), ["config"]);
  });

  it("remains a link if it is one, and the link's target is written", async () => {
    const real = join(folder, "dotfiles");
    writeFileSync(real, "a\n");
    symlinkSync(real, path);
    assert.equal(await writeConfigFile(await read(path), "b\n"), undefined);
    assert.ok(lstatSync(path).isSymbolicLink());
    assert.equal(readFileSync(real, "utf8"), "b\n");
  });

  it("is written in place on Windows, where a new file would lose the permissions that the user has repaired", async () => {
    writeFileSync(path, "Host a\nHost b\n");
    const before = statSync(path).ino;
    for (const text of ["Include x\nHost a\nHost b\n", "Host a\n"]) {
      assert.equal(await writeConfigFile(await read(path), text, "win32"), undefined);
      assert.equal(readFileSync(path, "utf8"), text);
    }
    assert.equal(statSync(path).ino, before);
  });

  it("is left unchanged if it is read-only, not text, not a file, or a dangling link", async () => {
    writeFileSync(path, "a\n", { mode: 0o400 });
    assert.equal(await writeConfigFile(await read(path), "b\n"), "readOnly");
    assert.equal(readFileSync(path, "utf8"), "a\n");
    writeFileSync(join(folder, "latin1"), Buffer.from([0x48, 0xe4, 0x0a]));
    assert.equal(await readConfigFile(join(folder, "latin1")), "notText");
    mkdirSync(join(folder, "directory"));
    assert.equal(await readConfigFile(join(folder, "directory")), "notFile");
    symlinkSync(join(folder, "nowhere"), join(folder, "link"));
    assert.equal(await readConfigFile(join(folder, "link")), "notFile");
  });

  it("is left unchanged if someone changed it since it was read", async () => {
    writeFileSync(path, "a\n");
    const file = await read(path);
    writeFileSync(path, "theirs\n");
    assert.equal(await writeConfigFile(file, "b\n"), "changed");
    const missing = await read(join(folder, "new"));
    writeFileSync(missing.path, "theirs\n");
    assert.equal(await writeConfigFile(missing, "b\n"), "changed");
    assert.equal(readFileSync(missing.path, "utf8"), "theirs\n");
  });

  it("includes a file that only its owner can read, rewritten each time", async () => {
    const own = join(folder, "deep", "servers.config");
    await writePrivateFile(own, "a\n");
    await writePrivateFile(own, "b\n");
    assert.equal(readFileSync(own, "utf8"), "b\n");
    assert.equal(statSync(own).mode & 0o777, 0o600);
  });
});
