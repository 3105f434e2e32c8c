/* eslint-disable @typescript-eslint/no-require-imports -- CommonJS: VS Code calls it by `require`. */
// Runs inside the extension host in the place of tests: activates the extensions one after the other, the first one
// changing from start to start, and tells what each took: by our own clock, and by the table of VS Code itself.
const vscode = require("vscode");

const ids = ["inference-gateway.inference-gateway", "inference-gateway-dev.empty"];

exports.run = async function run() {
  const totals = new Map();
  for (const id of process.env.PROBE_REVERSED === "1" ? ids.toReversed() : ids) {
    const start = performance.now();
    await vscode.extensions.getExtension(id).activate();
    totals.set(id, performance.now() - start);
  }
  // Extension, eager, load code, call activate, finish activate, event, by; between bars.
  const rows = await readRows();
  for (const id of ids) {
    const [, , , loadCode, callActivate] = rows.get(id);
    console.log(["PROBE", id, totals.get(id), loadCode, callActivate].join(" "));
  }
};

/** The rows of "Developer: Startup Performance" by extension; its text comes some time after its editor. */
async function readRows() {
  await vscode.commands.executeCommand("perfview.show");
  for (;;) {
    const lines = vscode.workspace.textDocuments.flatMap((document) => document.getText().split("\n"));
    const cells = lines.map((line) => line.split("|").map((cell) => cell.trim()));
    const rows = new Map(cells.filter((row) => ids.includes(row[1])).map((row) => [row[1], row]));
    if (rows.size === ids.length) return rows;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
