import { registerHooks } from "node:module";

/** A message that was shown, and the buttons in it. */
export interface ShownMessage {
  readonly message: string;
  readonly detail: string | undefined;
  readonly buttons: readonly string[];
}

/** An item of a list as VS Code receives it. */
export interface ShownItem {
  readonly label: string;
}

/** An item of the status bar. */
export interface ShownStatus {
  text: string;
  tooltip: { readonly value: string };
  command: string;
  isVisible: boolean;
}

/** Simulates, in plain Node, the parts of VS Code that the modules under test use. */
interface FakeWindow {
  readonly shown: ShownMessage[];
  readonly statuses: ShownStatus[];
  /** The authorities of the folders that are open. */
  readonly authorities: string[];
  isFocused: boolean;
  /** The commands that were registered. */
  readonly commands: Map<string, () => unknown>;
  /** The settings of the user, by their names without the prefix. */
  readonly settings: Map<string, unknown>;
  /** The button to press; undefined dismisses the message. */
  press(message: ShownMessage): string | undefined;
  /** The items to pick of a list; undefined closes it. */
  pick(items: readonly ShownItem[]): readonly ShownItem[] | undefined;
  /** Where to save a file, by the path that the dialog offers; undefined cancels it. */
  save(offered: string): string | undefined;
}

export const fakeWindow: FakeWindow = {
  settings: new Map(),
  shown: [],
  statuses: [],
  authorities: [],
  isFocused: true,
  commands: new Map(),
  press: () => undefined,
  pick: () => undefined,
  save: () => undefined,
};

interface FileUri {
  readonly scheme: "file";
  readonly fsPath: string;
}

function fileUri(fsPath: string): FileUri {
  return { scheme: "file", fsPath };
}

function showMessage(
  message: string,
  { detail }: { readonly detail?: string },
  ...buttons: readonly string[]
): Promise<string | undefined> {
  const shown = { message, detail, buttons };
  fakeWindow.shown.push(shown);
  return Promise.resolve(fakeWindow.press(shown));
}

const fake = {
  l10n: {
    t: (text: string, ...args: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
  },
  window: {
    showWarningMessage: showMessage,
    showInformationMessage: showMessage,
    async showQuickPick(items: readonly ShownItem[], options: { readonly canPickMany?: boolean } = {}) {
      const picked = fakeWindow.pick(items);
      return Promise.resolve(options.canPickMany === true ? picked : picked?.[0]);
    },
    /** The user never cancels. */
    withProgress: (_: unknown, task: (progress: object, token: object) => Promise<unknown>) =>
      task({ report: () => undefined }, { onCancellationRequested: () => ({ dispose: () => undefined }) }),
    createStatusBarItem(): ShownStatus & Record<"show" | "hide" | "dispose", () => void> {
      const item = {
        ...{ text: "", tooltip: { value: "" }, command: "", isVisible: false },
        show: () => void (item.isVisible = true),
        hide: () => void (item.isVisible = false),
        dispose: () => void (item.isVisible = false),
      };
      fakeWindow.statuses.push(item);
      return item;
    },
    get state() {
      return { focused: fakeWindow.isFocused };
    },
    visibleTextEditors: [],
    /** A notification, which the user never dismisses. */
    showErrorMessage(message: string): Promise<string | undefined> {
      fakeWindow.shown.push({ message, detail: undefined, buttons: [] });
      return new Promise(() => undefined);
    },
    showSaveDialog({ defaultUri }: { readonly defaultUri: FileUri }): Promise<FileUri | undefined> {
      const path = fakeWindow.save(defaultUri.fsPath);
      return Promise.resolve(path === undefined ? undefined : fileUri(path));
    },
  },
  workspace: {
    asRelativePath: ({ fsPath }: FileUri) => fsPath,
    get workspaceFolders() {
      return fakeWindow.authorities.map((authority) => ({ uri: { authority } }));
    },
    onDidChangeConfiguration: () => ({ dispose: () => undefined }),
    getConfiguration: () => ({ get: (name: string) => fakeWindow.settings.get(name) }),
  },
  env: { language: "en" },
  extensions: { getExtension: () => undefined },
  ExtensionKind: { UI: 1, Workspace: 2 },
  ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
  commands: {
    executeCommand: () => Promise.resolve(),
    registerCommand(name: string, run: () => unknown): { dispose(): void } {
      fakeWindow.commands.set(name, run);
      return { dispose: () => fakeWindow.commands.delete(name) };
    },
  },
  EventEmitter: class {
    readonly #listeners = new Set<(value: unknown) => void>();
    readonly event = (listener: (value: unknown) => void): { dispose(): void } => {
      this.#listeners.add(listener);
      return { dispose: () => this.#listeners.delete(listener) };
    };
    fire(value: unknown): void {
      for (const listener of [...this.#listeners]) listener(value);
    }
    dispose(): void {
      this.#listeners.clear();
    }
  },
  Disposable: {
    from: (...all: readonly { dispose(): void }[]) => ({
      dispose: () => {
        for (const each of all) each.dispose();
      },
    }),
  },
  StatusBarAlignment: { Left: 1, Right: 2 },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  TreeItem: class {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  },
  ThemeIcon: class {},
  ThemeColor: class {},
  QuickPickItemKind: { Separator: -1, Default: 0 },
  Uri: {
    file: fileUri,
    from: (parts: object) => parts,
    joinPath: ({ fsPath }: FileUri, ...parts: readonly string[]) => fileUri([fsPath, ...parts].join("/")),
  },
  MarkdownString: class {
    value = "";
    appendText(text: string) {
      this.value += text;
      return this;
    }
    appendMarkdown(text: string) {
      return this.appendText(text);
    }
  },
};

/** Modules that are imported from now on get the stand-in. */
export function installFakeVscode(): void {
  const key = "fakeVscodeOfTests";
  Object.assign(globalThis, { [key]: fake });
  const names = Object.keys(fake);
  const source = `export const { ${names.join(", ")} } = globalThis.${key};`;
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "vscode" ? { url, shortCircuit: true } : next(specifier, context),
  });
}
