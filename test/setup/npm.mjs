import { runProgram } from "./runProgram.mjs";
import { SetupError } from "./setupError.mjs";

/** Runs npm without any install script; what we install needs none. */
export async function npm(args, cwd) {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await runProgram("npm", [...args, ...quiet], { cwd });
  if (code === 0) return;
  const reason = output.split("\n").find((line) => /npm error (?!code|errno|A complete log)/.test(line));
  throw new SetupError(
    `npm ${args.join(" ")} failed; is the npm registry reachable?${reason === undefined ? "" : ` It says: ${reason.trim()}`}`,
  );
}
