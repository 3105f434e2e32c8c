// Checks the types of each project according to its tsconfig: each file once, in the narrowest project that contains
// it. Running `tsc` for one project after the other would read shared files five times and check most of them three
// times.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The narrow ones come first: what core may use is determined by its own project, not by one that allows more. */
const worlds = ["src/core", "src/webview", ".", "test/webview", "test"];

const formatting: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n",
};
/** Read once for all projects, because the options that affect parsing are the same in all of them. */
const sources = new Map<string, ts.SourceFile | undefined>();
const checked = new Set<string>();

const mistakes = worlds.flatMap((world) => checkWorld(resolve(root, world, "tsconfig.json")));
const format = process.stdout.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
process.stdout.write(format(mistakes, formatting));
process.stdout.write(`${checked.size} files, ${mistakes.length} mistakes\n`);
process.exitCode = mistakes.length === 0 ? 0 : 1;

function checkWorld(configFile: string): readonly ts.Diagnostic[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: refuse };
  const config = ts.getParsedCommandLineOfConfigFile(configFile, {}, host);
  if (config === undefined) throw new Error(`${configFile} can't be read.`);
  const program = ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
    host: createHost(config.options),
  });
  const own = config.fileNames.filter((name) => !checked.has(name));
  for (const name of own) checked.add(name);
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((name) => {
      const file = program.getSourceFile(name);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    }),
  ];
}

function createHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(name, ...rest) {
      if (!sources.has(name)) sources.set(name, host.getSourceFile(name, ...rest));
      return sources.get(name);
    },
  };
}

function refuse(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.formatDiagnostic(diagnostic, formatting));
}
