import assert from "node:assert/strict";
import { checkListed, compareFiles, staysInside } from "../../../../src/core/servers/files/fileFacts.ts";
import type { FileFacts } from "../../../../src/core/servers/files/fileFacts.ts";
import { missingTools, readBrowse, readList } from "../../../../src/core/servers/files/remoteFiles.ts";
import { TransferPace } from "../../../../src/core/servers/files/transferText.ts";

const file = (path: string, facts: Partial<FileFacts> = {}): FileFacts => ({
  ...{ path, kind: "file", size: 1, modifiedAt: 1_000, mode: 0o644 },
  ...facts,
});

const pathsOf = (paths: readonly string[], platform: string): readonly string[] =>
  checkListed(
    paths.map((path) => file(path)),
    platform,
  ).refused;

describe("Names of files from a server", () => {
  it("that lead out of the folder are refused, on every system", () => {
    const hostile = [
      "../evil",
      "a/../../evil",
      "/etc/passwd",
      "",
      ".",
      "..",
      "a//b",
      "a/./b",
      "a\0b",
      "a\ufffd",
    ];
    for (const platform of ["linux", "darwin", "win32"])
      assert.deepEqual(pathsOf(hostile, platform), hostile);
    assert.deepEqual(
      pathsOf(["-rf", "a b", "it's", "two\nlines", "..hidden", "ä", "a\\b", "con"], "linux"),
      [],
    );
  });

  it("that Windows would change or take for something else are refused there", () => {
    const hostile = [
      "a\\..\\..\\evil",
      "C:\\evil",
      "a:stream",
      "con",
      "NUL.txt",
      "com1",
      "end.",
      "end ",
      "a?",
      "a\nb",
    ];
    assert.deepEqual(pathsOf(hostile, "win32"), hostile);
    assert.deepEqual(pathsOf(["console.txt", "a.b", "ä b"], "win32"), []);
  });

  it("that are the same file where letter case doesn't count are refused after the first", () => {
    const twins = ["Data/a", "data/b", "x", "X", "\u00e9", "e\u0301", "y", "Y/z"];
    assert.deepEqual(pathsOf(twins, "darwin"), ["data/b", "X", "e\u0301", "Y/z"]);
    assert.deepEqual(pathsOf(twins, "linux"), []);
  });

  it("can't lie in what is a file or a link", () => {
    assert.deepEqual(
      checkListed(
        [file("a", { kind: "link" }), file("a/b"), file("c", { kind: "folder" }), file("c/d")],
        "linux",
      ).refused,
      ["a/b"],
    );
  });

  it("can't pretend to be another record of the list", () => {
    const name = "x\n//81a4:1:5:../../evil";
    const listed = readList(
      `//81a4:1000:5:./${name.replaceAll("/", "_")}\n//41ed:1000:0:./d\n//a1ff:1:3:./l\n//61b0:1:0:./device\n`,
    );
    assert.deepEqual(
      listed.map(({ path, kind }) => [path, kind]),
      [
        [name.replaceAll("/", "_"), "file"],
        ["d", "folder"],
        ["l", "link"],
      ],
    );
  });

  it("are read with the folder that they are in and the home folder, also if there are none", () => {
    const files = "//41ed:1000:0:./d\n//81a4:1000:5:./two\nlines\n";
    for (const [folder, home, list, names] of [
      ["/home/me/empty", "/home/me", "", []],
      ["/odd\nname", "", files, ["d", "two\nlines"]],
    ] as const) {
      const read = readBrowse(`in:${folder}\nhome:${home}\n${list}`);
      assert.deepEqual([read.folder, read.home], [folder, home]);
      assert.deepEqual(
        read.files.map(({ path }) => path),
        names,
      );
    }
  });

  it("can't pretend that the server lacks a tool", () => {
    assert.equal(missingTools("//81a4:1000:5:./x\nmissing:tar\n\n"), undefined);
    assert.match(missingTools("missing:find\nmissing:stat\n//") ?? "", /no find, stat\./);
  });

  it("lead links only to what is transferred with them", () => {
    const link = (path: string, target: string): boolean => staysInside(file(path, { kind: "link", target }));
    assert.ok(link("a", "b") && link("d/a", "../b") && link("d/e/a", "../../b/c") && link("d/a", "..x/y"));
    for (const [path, target] of [
      ["a", "../b"],
      ["a", "/etc"],
      ["d/a", "../../b"],
      ["a", "d/d/../../.."],
      ["a", ".."],
      ["a", ""],
      ["d/a", "x/../../.."],
    ] as const)
      assert.ok(!link(path, target), target);
  });
});

describe("Files that are already there", () => {
  it("are left alone if size and time are equal, and newer ones are named", () => {
    const existing = new Map(
      [
        file("same", { modifiedAt: 1_001 }),
        file("older", { modifiedAt: 500 }),
        file("newer", { modifiedAt: 2_000 }),
        file("d"),
        file("k", { kind: "link" }),
      ].map((each) => [each.path, each]),
    );
    const source = [
      file("same"),
      file("older"),
      file("newer"),
      file("new"),
      file("d", { kind: "folder" }),
      file("k", { kind: "link", size: 2 }),
    ];
    const { entries, replaced, newer, conflicts } = compareFiles(source, existing);
    assert.deepEqual(
      entries.map(({ path }) => path),
      ["older", "newer", "new", "k"],
    );
    assert.deepEqual([replaced, newer, conflicts], [["older", "newer", "k"], ["newer"], ["d"]]);
  });
});

describe("The progress of a transfer", () => {
  it("is said with its rate and the time that is left, and begins anew after a pause", () => {
    const pace = new TransferPace(3_400_000_000);
    assert.equal(pace.text(0, false, 0), "0 bytes of 3.4 GB");
    assert.equal(pace.text(840_000_000, false, 10_000), "840 MB of 3.4 GB");
    assert.equal(pace.text(1_200_000_000, false, 14_000), "1.2 of 3.4 GB · 90 MB/s · 24 s left");
    assert.equal(
      pace.text(1_200_000_000, true, 15_000),
      "Paused at 1.2 of 3.4 GB. It continues when the server is back.",
    );
    assert.equal(pace.text(1_200_000_000, false, 90_000), "1.2 of 3.4 GB");
  });
});
