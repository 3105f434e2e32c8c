import { runProgram } from "./runProgram.mjs";
import { SetupError } from "./setupError.mjs";

/** Runs npm without any install scripts, which our packages don't need. */
export async function npm(args, cwd) {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await runProgram("npm", [...args, ...quiet], { cwd });
  if (code === 0) return;
  const reason = output.split("\n").find((line) => /npm error (?!code|errno|A complete log)/.test(line));
  throw new SetupError(
    `npm ${args.join(" ")} failed; is the npm registry reachable?${reason === undefined ? "" : ` It says: ${reason.trim()}`}`,
  );
}
