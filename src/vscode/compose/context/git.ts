import * as vscode from "vscode";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { diffPart } from "../../../core/compose/context/contextPart.ts";
import type { GitChanges } from "../../../core/compose/context/contextPart.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { maxTextBytes } from "../../../core/compose/context/pastedText.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import { onlyNotice } from "./choice.ts";
import type { Choice } from "./choice.ts";
import type { GitRepository } from "./gitCommands.ts";
import { guardDiffs } from "./ignoreFiles.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";

/** The parts of VS Code's Git extension that we use. */
interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): {
    readonly repositories: readonly Repository[];
    /** The program that the extension runs. */
    readonly git: { readonly path: string };
  };
}

interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly unknown[];
  };
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
}

/** Maximum size of a diff in bytes, more than any model accepts. */
const maxDiffBytes = 4_000_000;

const recentCommits = 20;

/**
 * The repositories open in VS Code's Git extension, on whichever machine it runs. If it is disabled, those that `git`
 * finds in the workspace.
 */
export async function findRepositories(): Promise<readonly GitRepository[]> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  try {
    const git = await extension?.activate();
    if (git?.enabled === true) {
      const { repositories, git: program } = git.getAPI(1);
      return repositories.map((repository) => openedRepository(repository, program.path));
    }
  } catch {
    // An extension that doesn't work is treated like one that isn't installed.
  }
  const { findRepositoriesByCommands } = await import("./gitCommands.ts");
  const elsewhere = await findRepositoriesByCommands().catch(() => undefined);
  if (elsewhere !== undefined && elsewhere.length > 0) return elsewhere;
  // A folder can configure Git to run programs, so Git runs only in folders that the user trusts.
  if (!vscode.workspace.isTrusted) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return folders.map(bareRepository);
}

/** Why there is no repository. */
export function noRepository(): string {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const foreign = folders.find(({ uri }) => uri.scheme !== "file");
  if (!vscode.workspace.isTrusted) return vscode.l10n.t("Not available in an untrusted workspace");
  return foreign === undefined
    ? vscode.l10n.t("There is no Git repository")
    : vscode.l10n.t("No Git repository is open in {0}", foreign.name);
}

function openedRepository(repository: Repository, program: string): GitRepository {
  const { rootUri, state, inputBox } = repository;
  return {
    name: nameOf(rootUri),
    root: rootUri,
    stagedCount: state.indexChanges.length,
    changedCount: state.workingTreeChanges.length,
    readChanges: () => readDiffs(rootUri, program),
    async readMessages() {
      // A repository without commits has no log.
      const commits = await repository.log({ maxEntries: recentCommits }).catch(() => []);
      return commits.map(({ message }) => message);
    },
    messageBox: inputBox,
  };
}

function bareRepository({ uri }: vscode.WorkspaceFolder): GitRepository {
  return {
    name: nameOf(uri),
    root: uri,
    stagedCount: undefined,
    changedCount: undefined,
    readChanges: () => readDiffs(uri, "git"),
    readMessages: () => Promise.resolve([]),
    messageBox: undefined,
  };
}

/**
 * The diffs in the one form in which files with secrets are found: the user's configuration may color them or have
 * another program write them, which the API of VS Code's Git extension follows.
 */
async function readDiffs(folder: vscode.Uri, program: string): Promise<GitChanges> {
  const run = promisify(execFile);
  const form = ["--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"];
  const read = async (...options: readonly string[]): Promise<string> => {
    const { stdout } = await run(program, ["-C", folder.fsPath, ...options], {
      maxBuffer: maxDiffBytes,
      timeout: 20_000,
    });
    return stdout;
  };
  const [staged, unstaged] = await Promise.all([read("diff", ...form, "--cached"), read("diff", ...form)]);
  const untracked = await read("ls-files", "--others", "--exclude-standard", "-z");
  return { staged, unstaged, untracked: untracked.split("\0").filter(Boolean) };
}

function nameOf(uri: vscode.Uri): string {
  return (
    uri.path
      .replace(/(?<!\/)\/+$/, "")
      .split("/")
      .at(-1) ?? ""
  );
}

/** One row for each repository. */
export async function gitChoices(label: string): Promise<readonly Choice[]> {
  const repositories = await findRepositories();
  if (repositories.length > 0) return repositories.map((repository) => gitChoice(label, repository));
  return [{ suggestion: { label, detail: noRepository(), icon: "git-compare", isUnavailable: true } }];
}

function gitChoice(label: string, repository: GitRepository): Choice {
  const { name, stagedCount, changedCount } = repository;
  const isKnown = stagedCount !== undefined && changedCount !== undefined;
  const detail = isKnown
    ? vscode.l10n.t(
        "{0}: {1} staged, {2} not staged",
        name,
        formatNumber(stagedCount),
        formatNumber(changedCount),
      )
    : name;
  const isUnavailable = isKnown && stagedCount + changedCount === 0;
  const suggestion = { label, detail, icon: "git-compare", isUnavailable } as const;
  return isUnavailable ? { suggestion } : { suggestion, pick: () => attachChanges(repository) };
}

async function attachChanges(repository: GitRepository): Promise<Composition> {
  const part = await readDiff(repository, await readChanges(repository));
  if (typeof part === "string") return onlyNotice(part);
  return { text: "", parts: [part] };
}

async function readChanges(repository: GitRepository): Promise<GitChanges | string> {
  try {
    return await repository.readChanges();
  } catch {
    return vscode.l10n.t("Git couldn't read the changes in {0}.", repository.name);
  }
}

async function readDiff({ name }: GitRepository, changes: GitChanges | string): Promise<TextPart | string> {
  if (typeof changes === "string") return changes;
  const [staged, unstaged] = (await guardDiffs([changes.staged ?? "", changes.unstaged ?? ""])) ?? [];
  const isLeftOut = !staged && !unstaged && Boolean(changes.staged || changes.unstaged);
  if (staged === undefined || unstaged === undefined || isLeftOut)
    return vscode.l10n.t("The changes in {0} weren't attached.", name);
  const part = diffPart(name, { staged, unstaged });
  if (part === undefined) {
    return vscode.l10n.t(
      "Git has no diff for {0}: the changed files are untracked. Stage them, or attach the files.",
      name,
    );
  }
  if (part.text.length <= maxTextBytes) return part;
  return vscode.l10n.t("The diff of {0} is larger than 1 MB. Attach the relevant files instead.", name);
}
