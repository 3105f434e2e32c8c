import { gpuLookSteps } from "../gpu/gpuScript.ts";

/** Ports on which model servers usually listen. Others are asked only if the command line of a model server names them. */
const usualPorts = "800[0-9]|808[0-9]|3000[0-9]|1143[4-9]|1234|3000|5000|5001";

/**
 * Prints what is needed to serve a model, and only reads: runtimes, models on the disk, what listens and to whom it
 * belongs, and the GPUs. Versions come from the names of folders, because a runtime takes long to
 * report its own. Nothing in it comes from outside.
 */
export const serveProbeSteps = `h=$HOME; n=0; e='
'
say() { case $1 in *"$e"*) ;; *) [ "$n" -lt 1500 ] && n=$((n + 1)) && printf 'IG1 %s\\n' "$1" ;; esac; }
flat() { tr '\\n\\r\\t' '   ' | tr -s ' '; }
limit() { if has timeout; then timeout 10 "$@"; else "$@"; fi </dev/null; }
total() { ls -lLnd -- "$@" | { k=0; while read -r a a a a b a; do
  case $b in ''|*[!0-9]*) ;; *) k=$((k + b)) ;; esac
done; echo "$k"; }; }
say "home $h"
say "memory $(grep -m 1 MemAvailable /proc/meminfo | tr -dc 0-9)"
kit() { for d in "$1"/lib/python3*/site-packages/vllm-*.dist-info "$1"/lib/python3*/dist-packages/vllm-*.dist-info; do
  [ -d "$d" ] || continue
  v=\${d##*/vllm-}; v=\${v%.dist-info}
  [ -x "$1/bin/vllm" ] && say "runtime vllm $v $1/bin/vllm"
done; }
for v in "$h"/.venv "$h"/venv "$h"/env "$h"/*/.venv "$h"/*/venv "$h"/.virtualenvs/* "$h"/venvs/* "$h"/.local/share/uv/tools/* \\
  "$h"/miniconda3 "$h"/miniconda3/envs/* "$h"/anaconda3 "$h"/anaconda3/envs/* "$h"/miniforge3 "$h"/miniforge3/envs/* \\
  "$h"/mambaforge/envs/* "$h"/micromamba/envs/* "$h"/.conda/envs/* /opt/conda /opt/conda/envs/* /opt/miniconda3/envs/* \\
  /workspace/.venv /workspace/venv /workspace/*/.venv /venv /venv/* /opt/* "$h"/.local /usr/local /usr; do
  [ -d "$v/lib" ] && kit "$v"
done
b=$(command -v vllm) && say "runtime vllm - $b" && v=$(readlink -f "$b") && kit "\${v%/bin/*}"
for b in "$(command -v llama-server)" "$h"/.local/bin/llama-server "$h"/bin/llama-server "$h"/llama.cpp/build/bin/llama-server \\
  "$h"/*/llama.cpp/build/bin/llama-server /opt/llama.cpp/build/bin/llama-server /opt/*/llama-server /workspace/llama.cpp/build/bin/llama-server /app/llama-server; do
  [ -x "$b" ] && say "runtime llama.cpp - $b"
done
for b in "$(command -v ollama)" "$h"/.local/bin/ollama "$h"/bin/ollama "$h"/ollama/bin/ollama; do [ -x "$b" ] && say "runtime ollama - $b"; done
if has docker; then
  limit docker ps --format '{{.Names}} {{.Ports}}' | head -n 100 | while read -r x; do say "container $x"; done
fi
weights() { s=$1; m=; q=
  [ -f "$s/config.json" ] || return 0
  for f in "$s"/model*.safetensors; do [ -f "$f" ] && m=safetensors; [ -h "$f" ] && [ ! -e "$f" ] && q=partial; done
  for f in "$s"/model-00001-of-*.safetensors; do v=\${f##*-of-}; [ -f "$f" ] && q="\${q:-whole} of \${v%.safetensors}"; done
  set --
  if [ "$m" ]; then set -- "$s"/model*.safetensors; else
    for f in "$s"/*.safetensors "$s"/*.bin; do [ -f "$f" ] && m=\${f##*.} && break; done
    [ "$m" ] && set -- "$s"/*."$m"
  fi
  [ "$m" ] || return 0
  say "weights $(total "$@") $# \${q:-whole} $s"
  say "config $(head -c 20000 "$s/config.json" | flat)"
}
for d in "\${HF_HUB_CACHE:-\${HF_HOME:-$h/.cache/huggingface}/hub}" "$h/.cache/huggingface/hub" /workspace/.cache/huggingface/hub /data/huggingface/hub /root/.cache/huggingface/hub; do
  [ -d "$d" ] && say "hub $d"
  for d in "$d"/models--*; do
    [ -d "$d/snapshots" ] || continue
    s=; read -r s <"$d/refs/main"; s="$d/snapshots/$s"
    if [ ! -e "$s/config.json" ]; then for s in "$d"/snapshots/*; do [ -e "$s/config.json" ] && break; done; fi
    ls "$d"/blobs/*.incomplete >/dev/null && say "incomplete $s"
    weights "$s"
  done
done
for d in "$h"/models/* "$h"/models/*/* "$h"/* /models/* /models/*/* /data/models/* /data/models/*/* /mnt/models/* /workspace/models/* /workspace/*; do weights "$d"; done
for f in "$h"/*.gguf "$h"/*/*.gguf "$h"/models/*/*.gguf "$h"/models/*/*/*.gguf "$h"/llama.cpp/models/*.gguf "$h"/.cache/llama.cpp/*.gguf "$h"/.cache/huggingface/hub/models--*/snapshots/*/*.gguf \\
  "$h"/.cache/huggingface/hub/models--*/snapshots/*/*/*.gguf "$h"/.lmstudio/models/*/*/*.gguf "$h"/.cache/lm-studio/models/*/*/*.gguf \\
  /models/*.gguf /models/*/*.gguf /data/models/*.gguf /data/models/*/*.gguf /mnt/models/*.gguf /workspace/*.gguf /workspace/models/*.gguf /workspace/models/*/*.gguf; do
  [ -f "$f" ] || continue
  case \${f##*/} in mmproj*) continue ;; *-00001-of-*) set -- "\${f%-00001-of-*}"-*-of-*.gguf ;; *-of-*.gguf) continue ;; *) set -- "$f" ;; esac
  say "gguf $(total "$@") $# $f"
  say "head $(od -An -v -tx1 -N 6000 "$f" | tr -d ' \\n')"
done
for d in "\${OLLAMA_MODELS:-$h/.ollama/models}" /usr/share/ollama/.ollama/models; do for f in "$d"/manifests/registry.ollama.ai/library/*/*; do
  [ -f "$f" ] || continue
  v=\${f%/*}; say "manifest \${v##*/}:\${f##*/} $(head -c 8000 "$f" | flat)"
done; done
q=$(for f in /proc/[0-9]*/cmdline; do tr '\\000' ' ' <"$f"; echo; done | grep -E 'vllm|sglang|ollama|llama-server|text-generation' | grep -oE -- '--port[= ]+[0-9]{1,5}' | tr -dc '0-9\\n' | head -n 40)
u=
for f in /proc/net/tcp /proc/net/tcp6; do while read -r x a x s x x x b x; do
  [ "$s" = 0A ] || continue
  say "listen $a $b"
  case " $u " in *" $b "*) ;; *) u="$u $b" ;; esac
  a=$((0x\${a##*:}))
  case $a in ${usualPorts}) q="$q
$a" ;; esac
done <$f; done
for x in $u; do
  if has getent; then y=$(getent passwd "$x"); else y=$(grep -m 1 "^[^:]*:[^:]*:$x:" /etc/passwd); fi
  say "user $x \${y%%:*}"
done
say "account $(id -u)"
if has curl; then for x in $(echo "$q" | sort -un | head -n 40); do
  say "served $x $(curl -s -m 2 --noproxy '*' -w ' %{http_code}' "http://127.0.0.1:$x/v1/models" </dev/null | head -c 20000 | flat)"
done; fi
${gpuLookSteps}`;
