import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureSshServer } from "../setup/sshServer.mjs";
import { SshLab } from "../support/sshLab.ts";

const files = fileURLToPath(new URL("./machine", import.meta.url));
/** Of `trainer-01` in the list of the local gateway, and of `trainer-08`, which nobody uses. */
const [address, idleAddress] = ["203.0.113.1", "203.0.113.2"];
const modelBytes = 15_231_000_000;
const config = {
  ...{
    architectures: ["Qwen2ForCausalLM"],
    hidden_size: 3584,
    num_hidden_layers: 28,
    torch_dtype: "bfloat16",
  },
  ...{
    num_attention_heads: 28,
    num_key_value_heads: 4,
    max_position_embeddings: 32_768,
    model_type: "qwen2",
  },
};

/**
 * The GPU servers of the demo that really can be used over SSH: an account's SSH server on a port of this machine, with
 * a tool that reports moving values, a project, and a program that plays a model server, and an idle server. The `ssh` of the window has its
 * own configuration, so that the user's isn't read or written. Nothing is left when this process ends.
 */
export class DemoMachine {
  readonly lab: SshLab;

  private constructor(lab: SshLab) {
    this.lab = lab;
  }

  /** Undefined, with the reason on the screen, where there can be no such server. */
  static async open(): Promise<DemoMachine | undefined> {
    try {
      if (!existsSync("/usr/bin/python3")) throw new Error("Python isn't installed");
      const lab = await SshLab.openFor(await ensureSshServer());
      process.once("exit", () => lab.closeNow());
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
        process.once(name, () => process.exit(130));
      furnish(lab);
      return new DemoMachine(lab);
    } catch (error) {
      process.stdout.write(
        `The demo has no server for SSH: ${error instanceof Error ? error.message : ""}\n`,
      );
      return undefined;
    }
  }

  /** For the window. With the last one, VS Code keeps it instead of the environment of a login shell. */
  get environment(): Readonly<Record<string, string>> {
    return { PATH: this.lab.path, VSCODE_CLI: "1" };
  }
}

function furnish(lab: SshLab): void {
  lab.playHost(address);
  lab.playHost(idleAddress, "idle");
  const idleHome = lab.makeFolder("../home lab idle");
  lab.useShell("sh", `[ "$LAB_HOST" != idle ] || { HOME='${idleHome}'; cd "$HOME"; }`);
  for (const name of ["nvidia-smi", "vllm"]) lab.copy(join(files, name), `programs/${name}`);
  const project = lab.makeFolder("nanogpt");
  lab.copy(join(files, "train.py"), "home lab/nanogpt/train.py");
  writeFileSync(join(project, "README.md"), "# nanogpt\n\nRun `python3 train.py`.\n");
  lab.makeFolder(".cache");
  const model = lab.makeFolder(".cache/huggingface/hub/models--Qwen--Qwen2.5-7B-Instruct");
  const snapshot = join(model, "snapshots", "a09a354");
  mkdirSync(snapshot, { recursive: true });
  mkdirSync(join(model, "refs"));
  writeFileSync(join(model, "refs", "main"), "a09a354\n");
  writeFileSync(join(snapshot, "config.json"), JSON.stringify(config));
  // As large as the model, but without content, which takes no space.
  const weights = join(snapshot, "model.safetensors");
  writeFileSync(weights, "");
  truncateSync(weights, modelBytes);
}
