import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A server of models for OpenAI's interface that is called as vLLM or llama.cpp are: loading for a while, then a list and
 * responses, for those who have the key of its variable only. A model whose name contains `broken` fails as a GPU without
 * memory does.
 */
const program = `import json, os, subprocess, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
args = sys.argv[1:]
def after(name): return args[args.index(name) + 1] if name in args else None
model = after("--alias") or after("--served-model-name") or after("-m") or args[args.index("serve") + 1]
key = os.environ.get("VLLM_API_KEY") or os.environ.get("LLAMA_API_KEY")
print("Loading " + model)
if "broken" in model:
    print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
    sys.exit("RuntimeError: Engine core initialization failed. See root cause above.")
# A part that outlives the server if only the server is killed, as vLLM's does.
subprocess.Popen(["/bin/sh", "-c", "trap '' TERM; exec sleep 471"])
ready = time.time() + float(os.environ.get("LOADING_SECONDS", "1.5"))
class Handler(BaseHTTPRequestHandler):
    def reply(self, status, text, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def answer(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        if key is not None and self.headers.get("authorization") != "Bearer " + key:
            return self.reply(401, '{"error":{"message":"Unauthorized"}}')
        if time.time() < ready: return self.reply(503, '{"error":{"message":"Loading model"}}')
        if self.path == "/v1/models":
            return self.reply(200, json.dumps({"object": "list", "data": [{"id": model, "object": "model", "owned_by": "vllm"}]}))
        if self.path != "/v1/chat/completions": return self.reply(404, "{}")
        deltas = [{"delta": {"content": text}} for text in ["Hello ", "from the ", "served model"]]
        chunks = [json.dumps({"choices": [{"index": 0, **each}]}) for each in deltas + [{"delta": {}, "finish_reason": "stop"}]]
        self.reply(200, "".join("data: " + each + "\\n\\n" for each in chunks + ["[DONE]"]), "text/event-stream")
    do_GET = do_POST = answer
    def log_message(self, *words): pass
ThreadingHTTPServer((after("--host") or "127.0.0.1", int(after("--port"))), Handler).serve_forever()`;

/** What a home folder of a lab has for serving models. */
export interface StandInModels {
  /** The whole path of the program. */
  readonly vllm: string;
  readonly gguf: string;
}

/**
 * Fills the home folder of a lab: vLLM in a virtual environment, a model in the cache, one that is incomplete, one that
 * fails, and a file for llama.cpp.
 */
export function installModels(home: string): StandInModels {
  const write = (path: string, text: string | Buffer): string => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    return join(home, path);
  };
  write("server.py", program);
  // The account of the lab may not run this program of Node.js.
  const bin = `#!/bin/sh\nexec /usr/bin/python3 '${join(home, "server.py")}' "$@"\n`;
  const vllm = write("gpu env/.venv/bin/vllm", bin);
  write("gpu env/.venv/lib/python3.11/site-packages/vllm-0.9.1.dist-info/METADATA", "");
  const llama = write(".local/bin/llama-server", bin);
  for (const each of [vllm, llama]) chmodSync(each, 0o755);
  const config = {
    ...{ architectures: ["Qwen2ForCausalLM"], num_hidden_layers: 28, num_attention_heads: 28 },
    ...{ num_key_value_heads: 4, hidden_size: 3584, max_position_embeddings: 32_768 },
  };
  const hub = ".cache/huggingface/hub";
  const addHub = (name: string, files: Readonly<Record<string, string>>, link = true): void => {
    const folder = `${hub}/models--${name.replace("/", "--")}`;
    write(`${folder}/refs/main`, "abc");
    for (const [file, text] of Object.entries(files)) {
      const blob = write(`${folder}/blobs/${file}-blob`, text);
      mkdirSync(join(home, folder, "snapshots/abc"), { recursive: true });
      if (link) symlinkSync(blob, join(home, folder, "snapshots/abc", file));
    }
  };
  const weights = { "model-00001-of-00002.safetensors": "x".repeat(3_000) };
  const whole = { ...weights, "model-00002-of-00002.safetensors": "x".repeat(1_000) };
  addHub("Qwen/Qwen2.5-7B-Instruct", { ...whole, "config.json": JSON.stringify(config, null, 2) });
  addHub("lab/half", { ...weights, "config.json": JSON.stringify(config) });
  addHub("lab/broken-8B", { ...whole, "config.json": JSON.stringify(config) });
  addHub("lab/embedder", {
    ...{ "model.safetensors": "x", "config.json": JSON.stringify({ architectures: ["BertModel"] }) },
  });
  const gguf = write("models/it's $(touch broken) 1.gguf", Buffer.from("GGUF\u0003\0\0\0"));
  return { vllm, gguf };
}

/** `nvidia-smi` for two GPUs: a served model uses the first while it runs, and the process of the tests the second. */
export const modelGpus = `u=4; for f in $(grep -ls "HOME=$HOME" /proc/[0-9]*/environ); do
case $(tr '\\000' ' ' <"\${f%environ}cmdline") in "sleep 471 "*) u=70000 ;; esac; done
case "$*" in
*query-gpu*) echo "0, 0, $u, 81559, 40, 70.00, NVIDIA H100 80GB HBM3"; echo "1, 95, 71000, 81559, 60, 650.00, NVIDIA H100 80GB HBM3" ;;
*query-compute-apps*) echo "GPU-bbbb, ${process.pid}, 70000, train.py" ;;
-L) echo "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa)"; echo "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bbbb)" ;;
esac`;
