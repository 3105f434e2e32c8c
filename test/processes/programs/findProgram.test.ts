import assert from "node:assert/strict";
import { childEnvironment, findProgram } from "../../../src/processes/programs/findProgram.ts";
import type { ProgramPlace } from "../../../src/processes/programs/findProgram.ts";

/** A machine with these programs, written with forward slashes. */
function machine(
  platform: "win32" | "darwin" | "linux",
  path: string | undefined,
  programs: readonly string[],
): ProgramPlace {
  const isWindows = platform === "win32";
  const plain = (each: string): string => (isWindows ? each.replaceAll("\\", "/").toLowerCase() : each);
  return {
    platform,
    environment: path === undefined ? {} : { [isWindows ? "Path" : "PATH"]: path },
    home: isWindows ? String.raw`C:\Users\me` : "/home/me",
    isProgram: (each) => programs.some((program) => plain(program) === plain(each)),
  };
}

describe("Finding a program that the user names", () => {
  const path = String.raw`;.;tools;"C:\Program Files\Git\bin";C:\az`;

  it("finds it in PATH on Windows, also without its extension and in quoted folders", () => {
    const place = machine("win32", path, ["C:/Program Files/Git/bin/ssh.exe"]);
    const program = String.raw`C:\Program Files\Git\bin\ssh.exe`;
    assert.deepEqual(findProgram("ssh", place), { program });
    assert.deepEqual(findProgram("SSH.EXE", place), {
      program: String.raw`C:\Program Files\Git\bin\SSH.EXE`,
    });
    assert.deepEqual(findProgram(program, place), { program });
  });

  it("never finds a planted program in the current folder, the home folder or a relative one", () => {
    const planted = [
      "ssh.exe",
      "./ssh.exe",
      "C:/Users/me/ssh.exe",
      "tools/ssh.exe",
      "C:/Users/me/tools/ssh.exe",
    ];
    assert.equal(findProgram("ssh", machine("win32", path, planted)), undefined);
    assert.equal(
      findProgram("ssh", machine("linux", ":.:tools", ["ssh", "/home/me/ssh", "tools/ssh"])),
      undefined,
    );
  });

  it("recognizes scripts of Windows, which only a shell can start", () => {
    const place = machine("win32", path, ["C:/az/az.cmd", "C:/az/az", "C:/az/tool.bat"]);
    assert.deepEqual(findProgram("az", place), { script: String.raw`C:\az\az.cmd` });
    assert.deepEqual(findProgram("tool.bat", place), { script: String.raw`C:\az\tool.bat` });
    assert.deepEqual(findProgram(String.raw`C:\az\az`, place), { script: String.raw`C:\az\az.cmd` });
  });

  it("finds what Homebrew and pip install although VS Code was started from the Dock", () => {
    const short = "/usr/bin:/bin";
    assert.deepEqual(findProgram("aws", machine("darwin", short, ["/opt/homebrew/bin/aws"])), {
      program: "/opt/homebrew/bin/aws",
    });
    assert.deepEqual(findProgram("aws", machine("darwin", short, ["/home/me/.local/bin/aws"])), {
      program: "/home/me/.local/bin/aws",
    });
    const both = ["/usr/bin/aws", "/opt/homebrew/bin/aws"];
    assert.deepEqual(findProgram("aws", machine("darwin", short, both)), { program: "/usr/bin/aws" });
  });

  it("takes a name with a folder as it is, or from the home folder", () => {
    assert.deepEqual(findProgram("/opt/x", machine("linux", "", [])), { program: "/opt/x" });
    assert.deepEqual(findProgram("~/bin/x", machine("linux", "", [])), { program: "/home/me/bin/x" });
    assert.deepEqual(findProgram("bin/x", machine("linux", "", [])), { program: "/home/me/bin/x" });
    const place = machine("win32", "", ["C:/Users/me/bin/x.exe"]);
    assert.deepEqual(findProgram(String.raw`~\bin\x`, place), { program: String.raw`C:\Users\me\bin\x.exe` });
  });
});

describe("The variables of a program that is started", () => {
  it("contain the folders of the user's programs, and nothing that belongs to VS Code", () => {
    const place = machine("darwin", "/usr/bin", []);
    const environment = { ...place.environment, VSCODE_PID: "1", ELECTRON_RUN_AS_NODE: "1", LANG: "C" };
    assert.deepEqual(childEnvironment({ ...place, environment }), {
      PATH: "/usr/bin:/opt/homebrew/bin:/usr/local/bin:/opt/local/bin:/home/me/.local/bin",
      LANG: "C",
    });
  });

  it("keep a script on Windows from starting what lies in the current folder", () => {
    assert.deepEqual(childEnvironment(machine("win32", String.raw`C:\az`, [])), {
      Path: String.raw`C:\az`,
      NoDefaultCurrentDirectoryInExePath: "1",
    });
  });
});
