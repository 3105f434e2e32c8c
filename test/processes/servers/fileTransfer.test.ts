import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareFiles, checkListed } from "../../../src/core/servers/files/fileFacts.ts";
import { downloadFiles, listRemote, lookAtLocal } from "../../../src/processes/servers/downloadFiles.ts";
import { localFiles, UploadSource } from "../../../src/processes/servers/localFiles.ts";
import type { LocalScan } from "../../../src/processes/servers/localFiles.ts";
import { lookAtRemote, uploadFiles } from "../../../src/processes/servers/uploadFiles.ts";
import {
  browseScript,
  discardScript,
  listScript,
  lookScript,
  missingTools,
} from "../../../src/core/servers/files/remoteFiles.ts";
import { tarEnd, tarHeader } from "../../../src/core/servers/files/tarFormat.ts";
import { streamText } from "../../../src/processes/servers/runRemote.ts";
import { eventually } from "../../support/eventually.ts";
import { oddNames, readTree, writeTree } from "../../support/fileTrees.ts";
import { SshLab } from "../../support/sshLab.ts";

const stage = ".inference-gateway-0123456789abcdef";

describe("Files that are uploaded and downloaded", function () {
  this.timeout(120_000);
  let lab: SshLab;
  let local: string;

  before(async function () {
    lab = await SshLab.openHere(this);
  });
  beforeEach(() => (local = mkdtempSync(join(tmpdir(), "files-"))));
  afterEach(() => rmSync(local, { recursive: true, force: true }));
  after(() => lab?.close());

  interface Seen {
    readonly signal?: AbortSignal;
    onProgress?(done: number, isPaused: boolean): void;
  }

  async function upload(
    folder: string,
    { signal = new AbortController().signal, onProgress }: Seen = {},
  ): Promise<readonly string[]> {
    const place = { target: lab.target };
    const source = new UploadSource(localFiles, new Map([["", local]]));
    const { entries: all } = await source.scan(false);
    const { existing } = await lookAtRemote(
      { place, folder, stage },
      all.map(({ path: each }) => each),
      signal,
    );
    const { entries, replaced } = compareFiles(all, existing);
    return await uploadFiles(
      { place, folder, stage, source, entries, replaced },
      { signal, onProgress: onProgress ?? (() => undefined) },
    );
  }

  async function download(
    folder: string,
    destination: string,
    { signal = new AbortController().signal, onProgress }: Seen = {},
  ): Promise<readonly string[]> {
    const place = { target: lab.target };
    const { entries: listed } = await listRemote({ place, folder }, false, signal);
    const { entries: all } = checkListed(listed, process.platform);
    const { existing } = await lookAtLocal(destination, all);
    const { entries, replaced } = compareFiles(all, existing);
    return await downloadFiles(
      { place, folder, stage, destination, entries, replaced },
      { signal, onProgress: onProgress ?? (() => undefined) },
    );
  }

  it("arrive with their names, contents, permissions and times, whatever their names are, and come back the same", async () => {
    writeTree(local, Object.fromEntries(oddNames.map((name) => [name, name])));
    writeTree(local, Object.fromEntries(oddNames.map((name) => [`in/${name}/${name}`, `${name}!`])));
    writeTree(local, {
      "run.sh": "#!/bin/sh",
      empty: "",
      link: "->in",
      "deep/er/link": "->../../run.sh",
      big: randomBytes(3_000_000),
    });
    utimesSync(join(local, "run.sh"), 1_000_000_000, 1_000_000_000);
    const folder = join(lab.home, "it's new", "x");
    assert.deepEqual(await upload(folder), []);
    assert.deepEqual(readTree(folder), readTree(local));
    const back = mkdtempSync(join(tmpdir(), "back-"));
    assert.deepEqual(await download(folder, back), []);
    assert.deepEqual(readTree(back), readTree(local));
    rmSync(back, { recursive: true });
  });

  it("don't replace what they equal, and replace only what the user agreed to", async () => {
    writeTree(local, { "a.txt": "a", "b/b.txt": "b", "c.txt": "c" });
    const folder = join(lab.home, "again");
    await upload(folder);
    const before = readTree(folder);
    const place = { target: lab.target };
    const look = async (): Promise<ReturnType<typeof compareFiles>> => {
      const { entries } = await new UploadSource(localFiles, new Map([["", local]])).scan(false);
      const { existing } = await lookAtRemote(
        { place, folder, stage },
        entries.map((each) => each.path),
        new AbortController().signal,
      );
      return compareFiles(entries, existing);
    };
    assert.deepEqual((await look()).entries, []);
    writeTree(local, { "a.txt": "changed here", "new/n.txt": "n" });
    utimesSync(join(folder, "c.txt"), 3_000_000_000, 3_000_000_000);
    const found = await look();
    assert.deepEqual([found.replaced, found.newer], [["a.txt", "c.txt"], ["c.txt"]]);
    // Another program writes a file of the same name meanwhile.
    const source = new UploadSource(localFiles, new Map([["", local]]));
    const hooks = { signal: new AbortController().signal, onProgress: (): void => undefined };
    const job = {
      place,
      folder,
      stage,
      source,
      entries: found.entries.filter((each) => each.path !== "c.txt"),
      replaced: [],
    };
    await assert.rejects(uploadFiles(job, hooks), /weren't put in place/);
    assert.equal(readTree(folder)["a.txt"], before["a.txt"]);
    const again = await look();
    await uploadFiles(
      { ...job, entries: again.entries.filter((each) => each.path !== "c.txt"), replaced: ["a.txt"] },
      hooks,
    );
    assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "changed here");
    assert.ok(!existsSync(join(folder, stage)));
  });

  for (const [direction, cuts] of [
    ["up", 3],
    ["down", 3],
  ] as const)
    it(`go on where they were after the connection was cut ${cuts} times (${direction})`, async () => {
      writeTree(
        local,
        Object.fromEntries(
          Array.from({ length: 500 }, (_, at) => [`many/${at % 7}/file ${at}.txt`, `content of ${at}`]),
        ),
      );
      writeTree(local, { "big.bin": randomBytes(60_000_000), "z.bin": randomBytes(2_000_000) });
      const folder = join(lab.home, `cut ${direction}`);
      const destination = mkdtempSync(join(tmpdir(), "cut-"));
      if (direction === "down") await upload(folder);
      let next = 5_000_000;
      const states: string[] = [];
      const onProgress = (done: number, isPaused: boolean): void => {
        if (isPaused) states.push("paused");
        assert.deepEqual(
          readdirSync(direction === "up" && existsSync(folder) ? folder : destination).filter(
            (name) => name !== stage && direction === "up",
          ),
          [],
        );
        if (done < next || states.length >= cuts) return;
        next += 20_000_000;
        lab.signalSessions("SIGKILL");
      };
      assert.deepEqual(
        await (direction === "up"
          ? upload(folder, { onProgress })
          : download(folder, destination, { onProgress })),
        [],
      );
      assert.ok(states.length >= 1, String(states.length));
      assert.deepEqual(readTree(direction === "up" ? folder : destination), readTree(local));
      rmSync(destination, { recursive: true });
      assert.ok(!existsSync(join(folder, stage)));
    });

  it("show what has arrived while the server can't be reached", async () => {
    writeTree(local, { "big.bin": randomBytes(30_000_000) });
    const folder = join(lab.home, "unreachable");
    const destination = mkdtempSync(join(tmpdir(), "unreachable-"));
    await upload(folder);
    const paused: number[] = [];
    let isStopped = false;
    const onProgress = (done: number, isPaused: boolean): void => {
      if (isPaused && paused.push(done) === 2) void lab.start();
      if (done < 5_000_000 || isStopped) return;
      isStopped = true;
      lab.signalSessions("SIGKILL");
      void lab.stop();
    };
    assert.deepEqual(await download(folder, destination, { onProgress }), []);
    assert.ok(paused.length >= 2 && paused.every((done) => done >= 5_000_000), paused.join());
    assert.deepEqual(readTree(destination), readTree(local));
    rmSync(destination, { recursive: true });
  });

  it("arrive quickly if they are many and small, and in one piece if one is large", async () => {
    const count = Number(process.env["MANY_FILES"] ?? 3_000);
    writeTree(
      local,
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`f${at % 50}/${at}.json`, `{"at":${at}}`]),
      ),
    );
    const folder = join(lab.home, "many");
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last - 5);
      last = performance.now();
    }, 5);
    const since = Date.now();
    await upload(folder);
    const upMs = Date.now() - since;
    assert.equal(Object.keys(readTree(folder)).length, Object.keys(readTree(local)).length);
    last = performance.now();
    const back = mkdtempSync(join(tmpdir(), "many-"));
    const sinceDown = Date.now();
    await download(folder, back);
    assert.ok(longest < 500 && upMs < 60_000 && Date.now() - sinceDown < 60_000, `${upMs} ${longest}`);
    clearInterval(timer);
    assert.deepEqual(readTree(back), readTree(local));
    rmSync(back, { recursive: true });
  });

  it("can't be written outside of the folder by a hostile archive, or through its links", async () => {
    writeTree(local, { "a.txt": "a", "sub/b.txt": "b" });
    const folder = join(lab.home, "hostile");
    await upload(folder);
    const evil = mkdtempSync(join(tmpdir(), "evil-"));
    const link = { mode: 0o777, modifiedAt: 1, size: 0, kind: "link" } as const;
    const content = Buffer.from("evil".padEnd(512, "\0"));
    const entry = (path: string): readonly Uint8Array[] => [
      tarHeader({ path, kind: "file", size: 4, mode: 0o4777, modifiedAt: 1 }),
      content,
    ];
    const archive = [
      tarHeader({ ...link, path: "sub", target: evil }),
      ...["../evil.txt", "/tmp/evil.txt", "sub/evil.txt", "other.txt", "sub/b.txt", "a.txt"].flatMap(entry),
      tarEnd,
    ];
    const file = join(lab.makeFolder("archives"), "evil.tar");
    writeFileSync(file, Buffer.concat(archive));
    lab.standIn("tar", `cat '${file}'`);
    const destination = mkdtempSync(join(tmpdir(), "back-"));
    try {
      assert.deepEqual(await download(folder, destination), []);
      assert.deepEqual(Object.keys(readTree(destination)), ["a.txt", "sub/", "sub/b.txt"]);
      assert.equal(statSync(join(destination, "a.txt")).mode & 0o7000, 0);
      assert.deepEqual(readdirSync(evil), []);
      assert.ok(!existsSync(join(destination, "..", "evil.txt")));
      // What isn't an archive won't be one later.
      writeTree(local, { "c.txt": "c" });
      lab.standIn("tar", 'exec /usr/bin/tar "$@"');
      await upload(folder);
      lab.standIn("tar", "head -c 2000 /dev/zero | tr '\\0' x");
      await assert.rejects(download(folder, destination), /something other/);
    } finally {
      lab.standIn("tar", 'exec /usr/bin/tar "$@"');
      for (const each of [destination, evil]) rmSync(each, { recursive: true });
    }
  });

  it("aren't written through a link on the server, and what is there in another kind is reported", async () => {
    writeTree(local, { "data/x.txt": "x", kind: "file" });
    const folder = lab.makeFolder("linked");
    const outside = lab.makeFolder("outside");
    symlinkSync(outside, join(folder, "data"));
    lab.makeFolder("linked/kind");
    const place = { target: lab.target };
    const source = new UploadSource(localFiles, new Map([["", local]]));
    const { entries } = await source.scan(false);
    const { signal } = new AbortController();
    const { existing } = await lookAtRemote(
      { place, folder, stage },
      entries.map((each) => each.path),
      signal,
    );
    assert.deepEqual(compareFiles(entries, existing).conflicts.toSorted(), ["data", "kind"]);
    const job = { place, folder, stage, source, entries, replaced: entries.map((each) => each.path) };
    await assert.rejects(uploadFiles(job, { signal, onProgress: () => undefined }), /weren't put in place/);
    assert.deepEqual([readdirSync(outside), readdirSync(join(folder, "kind"))], [[], []]);
  });

  it("leave out what Git ignores, with its own rules or those in .gitignore, and links that lead elsewhere", async () => {
    writeTree(local, {
      ".gitignore": "*.log\n/cache/\n!keep.log\n",
      "a.log": "1",
      "keep.log": "2",
      "cache/x/y": "3",
      "sub/b.log": "4",
      "sub/c.txt": "5",
      "sub/.gitignore": "c.txt\n",
      ".venv/bin/python": "6",
      "ä ö.txt": "7",
      link: "->ä ö.txt",
      out: "->/etc/passwd",
      up: "->../up",
    });
    const scan = async (): Promise<readonly unknown[]> => {
      const found = await new UploadSource(localFiles, new Map([["", local]])).scan(false);
      return [
        found.entries
          .filter(({ kind }) => kind !== "folder")
          .map((each) => each.path)
          .toSorted(),
        found.ignored,
        found.unusual,
        [...found.skipped],
      ];
    };
    const expected = [[".gitignore", "keep.log", "link", "sub/.gitignore", "ä ö.txt"], 4, 2, [".venv"]];
    assert.deepEqual(await scan(), expected);
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-C", local, ...args], { stdio: "ignore" });
    git("init");
    assert.deepEqual(await scan(), [...expected.slice(0, 3), [".git", ".venv"]]);
    // A file that is in the repository isn't ignored, whatever the rules say.
    git("add", "-f", "a.log");
    assert.deepEqual((await scan())[1], 3);
    // A repository can't have a program run.
    git("config", "core.fsmonitor", `touch '${join(local, "ran")}'; true`);
    await scan();
    assert.ok(!existsSync(join(local, "ran")));
    // Who uploads a folder that is ignored wants it.
    const cache = await new UploadSource(localFiles, new Map([["", join(local, "cache")]])).scan(false);
    assert.deepEqual([cache.entries.map((each) => each.path), cache.ignored], [["x", "x/y"], 0]);
  });

  it("are found beside a folder that can't be read, which is named", async () => {
    writeTree(local, { "a.txt": "a", "closed/b.txt": "b", "open/c.txt": "c" });
    const list = async (folder: string): ReturnType<typeof localFiles.list> => {
      if (folder.endsWith("closed")) throw new Error("EACCES: permission denied");
      return await localFiles.list(folder);
    };
    const scanOf = (folder: string): Promise<LocalScan> =>
      new UploadSource({ ...localFiles, list }, new Map([["", folder]])).scan(false);
    const { entries, closed } = await scanOf(local);
    assert.deepEqual(
      [entries.map(({ path }) => path), closed],
      [["a.txt", "closed", "open", "open/c.txt"], ["closed"]],
    );
    await assert.rejects(scanOf(join(local, "closed")), /permission denied/);
  });

  it("are reported in words if the server has no space, no tar, or doesn't let them be written", async () => {
    writeTree(local, { "a.txt": "a" });
    const place = { target: lab.target };
    const { signal } = new AbortController();
    lab.standIn("tar", "echo 'tar: a.txt: Cannot write: No space left on device' >&2; exit 2");
    await assert.rejects(upload(join(lab.home, "full")), /disk is full.+No space left on device/);
    // The words are searched for reasons, and are in the language of the account.
    lab.useShell("sh", "export LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8");
    const inGerman = `case "\${LC_ALL:-$LC_MESSAGES}" in de*) echo "Auf dem Gerät ist kein Platz";; *) echo "No space left";; esac`;
    lab.standIn("tar", `${inGerman} >&2; exit 2`);
    await assert.rejects(upload(join(lab.home, "full")), /disk is full.+No space left/);
    lab.useShell("sh");
    lab.standIn("tar", "echo 'tar: big.bin: Wrote only 9216 of 10240 bytes' >&2; exit 2");
    await assert.rejects(upload(join(lab.home, "full")), /disk is full.+Wrote only/);
    lab.standIn("tar", 'exec /usr/bin/tar "$@"');
    writeTree(local, { "locked/b.txt": "b" });
    lab.makeFolder("half");
    const locked = lab.makeFolder("half/locked");
    chmodSync(locked, 0o555);
    await assert.rejects(upload(join(lab.home, "half")), /couldn't store the files: .+Permission denied/);
    assert.deepEqual(readdirSync(locked), []);
    chmodSync(locked, 0o755);
    assert.deepEqual(await upload(join(lab.home, "half")), []);
    assert.deepEqual(readTree(join(lab.home, "half")), readTree(local));
    lab.standIn(
      "df",
      "echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'; echo 'odd name 10 6 4 60% /'",
    );
    assert.equal((await lookAtRemote({ place, folder: "~/full", stage }, [], signal)).free, 4_096);
    lab.standIn("df", 'exec /usr/bin/df "$@"');
    assert.match(
      (await lookAtRemote({ place, folder: "/proc/x/y", stage }, [], signal)).problem ?? "",
      /may not write/,
    );
    // Also of a folder that the download makes.
    assert.ok(((await lookAtLocal(join(local, "new"), [])).free ?? 0) > 0);
    await assert.rejects(listRemote({ place, folder: "~/nowhere" }, false, signal), /can't be read/);
  });

  it("are left out and named if they can't be read, also if they were sent in part, and cost no traffic", async () => {
    writeTree(local, { "gone.bin": randomBytes(20_000_000), "b.txt": "b" });
    const folder = join(lab.home, "vanished");
    const [place, source] = [{ target: lab.target }, new UploadSource(localFiles, new Map([["", local]]))];
    const { entries } = await source.scan(false);
    const job = { place, folder, stage, source, entries, replaced: [] };
    const cancellation = new AbortController();
    const onProgress = (done: number): void => {
      if (done > 10_000_000) cancellation.abort();
    };
    await assert.rejects(uploadFiles(job, { signal: cancellation.signal, onProgress }), {
      name: "AbortError",
    });
    await eventually(() => assert.deepEqual(lab.sessionProcesses(), []));
    rmSync(join(local, "gone.bin"));
    // Nothing is sent in its place.
    const seen: number[] = [];
    const hooks = {
      signal: new AbortController().signal,
      onProgress: (done: number) => void seen.push(done),
    };
    assert.deepEqual(await uploadFiles(job, hooks), ["gone.bin"]);
    assert.deepEqual(readTree(folder), readTree(local));
    assert.ok(Math.max(...seen) < 1_000, String(Math.max(...seen)));
  });

  it("may be none, and a folder that the account can't read is named", async () => {
    const folder = join(lab.home, "none");
    assert.deepEqual(await upload(folder), []);
    assert.deepEqual(readdirSync(folder), []);
    const [place, { signal }] = [{ target: lab.target }, new AbortController()];
    assert.deepEqual(await listRemote({ place, folder }, false, signal), { entries: [], closed: [] });
    chmodSync(lab.makeFolder("none/it's closed"), 0);
    lab.makeFolder("none/open");
    const { entries, closed } = await listRemote({ place, folder }, false, signal);
    assert.deepEqual([entries.length, closed], [2, ["it's closed"]]);
  });

  it("aren't taken for none on a server that lacks the tools for listing them", () => {
    for (const script of [listScript(local, false), browseScript(local), lookScript(local, stage)]) {
      const options = { env: { PATH: local }, encoding: "utf8" as const, stdio: "pipe" as const, input: "" };
      assert.match(missingTools(execFileSync("/bin/sh", ["-c", script], options)) ?? "", /find, xargs, stat/);
    }
  });

  it("leave only what can be continued or removed when they are canceled", async () => {
    writeTree(local, { "big.bin": randomBytes(30_000_000), "a.txt": "a" });
    const folder = join(lab.home, "canceled");
    const cancellation = new AbortController();
    const onProgress = (done: number): void => {
      if (done > 20_000_000) cancellation.abort();
    };
    await assert.rejects(upload(folder, { signal: cancellation.signal, onProgress }), { name: "AbortError" });
    assert.deepEqual(readdirSync(folder), [stage]);
    await eventually(() => assert.deepEqual(lab.sessionProcesses(), []));
    const { signal } = new AbortController();
    await streamText({ target: lab.target }, discardScript(folder, stage, true), { signal });
    assert.ok(!existsSync(folder));
  });

  it("are the same on a server that only has BusyBox", async function () {
    if (!lab.hasShell("busybox")) this.skip();
    const busybox = join(lab.home, "..", "packages", "bin", "busybox");
    const programs = [
      "tar",
      "find",
      "xargs",
      "stat",
      "mv",
      "rm",
      "df",
      "head",
      "tail",
      "wc",
      "sed",
      "touch",
      "sha256sum",
      "mkdir",
      "dirname",
    ];
    for (const name of programs) lab.standIn(name, `exec '${busybox}' ${name} "$@"`);
    lab.useShell("busybox");
    try {
      writeTree(local, Object.fromEntries(oddNames.map((name) => [`in/${name}`, name])));
      writeTree(local, {
        "big.bin": randomBytes(20_000_000),
        "deep/er/link": "->../../big.bin",
        [`${"folder/".repeat(40)}x`]: "deep",
      });
      const folder = join(lab.home, "busy box");
      let cuts = 0;
      const onProgress = (done: number): void => {
        if (done > 12_000_000 && cuts++ === 0) lab.signalSessions("SIGKILL");
      };
      assert.deepEqual(await upload(folder, { onProgress }), []);
      assert.deepEqual(readTree(folder), readTree(local));
      writeTree(local, { "big.bin": "small" });
      await upload(folder);
      cuts = 0;
      const back = mkdtempSync(join(tmpdir(), "back-"));
      assert.deepEqual(await download(folder, back, { onProgress }), []);
      assert.deepEqual(readTree(back), readTree(local));
      rmSync(back, { recursive: true });
    } finally {
      for (const name of programs) lab.standIn(name, `exec /usr/bin/${name} "$@"`);
      lab.useShell("sh");
    }
  });
});
