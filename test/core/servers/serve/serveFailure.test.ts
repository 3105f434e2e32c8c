import assert from "node:assert/strict";
import { explainServeFailure } from "../../../../src/core/servers/serve/serveFailure.ts";
import { assertLinearWork } from "../../../support/countedWork.ts";

/** The ends of logs, from public issue threads of the projects. */
const logs: Readonly<Record<string, readonly string[]>> = {
  denied: ["PermissionError: [Errno 13] Permission denied: '/data/hf/hub/models--Qwen--Qwen2.5-7B'"],
  rateLimit: [
    "docker: Error response from daemon: toomanyrequests: You have reached your pull rate limit.",
    "huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/x",
  ],
  notReady: [
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized",
  ],
  network: [
    "urllib3.exceptions.NameResolutionError: Failed to resolve 'huggingface.co' ([Errno -3] Temporary failure in name resolution)",
    "huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the files on the Hub and we cannot find the appropriate snapshot folder for the specified revision on the local disk.",
  ],
  connection: [
    "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 2/4 clients joined.",
    "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
  ],
  gpuBusy: [
    "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable",
    "ERROR 06-30 13:53:19 [core.py:515] EngineCore failed to start.\n[multiproc_executor.py:492] ValueError: Free memory on device (31.44/47.38 GiB) on startup is less than desired GPU memory utilization (0.95, 45.01 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.\nRuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
  ],
  tooLarge: [
    "vllm-1  | ERROR 11-18 18:07:28 engine.py:366] ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
    "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
    "Error: model requires more system memory (45.1 GiB) than is available (12.0 GiB)",
  ],
  context: [
    "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (20480). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
    "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (2.50 GiB). Based on the available memory, the estimated maximum model length is 20480. Try increasing `gpu_memory_utilization`",
    "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
    "Value error, User-specified max_model_len (40000) is greater than the derived max_model_len (max_position_embeddings=32768 or model_max_length=None in model's config.json).",
    "ValueError: max_num_batched_tokens (2048) is smaller than max_model_len (32768). This effectively limits the maximum sequence length",
  ],
  outOfMemory: [
    "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB (GPU 0; 10.73 GiB total capacity; 9.85 GiB already allocated; 46.44 MiB free; 9.86 GiB reserved in total by PyTorch)",
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.00 GiB.",
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8192.00 MiB on device 0: cudaMalloc failed: out of memory\nllama_model_load: error loading model: unable to allocate CUDA0 buffer",
    "ggml_vulkan: Device memory allocation of size 1073741824 failed.\nggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
  ],
  sharedMemory: [
    "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:268, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nError while creating shared memory segment /dev/shm/nccl-Yx3kQa (size 9637888)",
    "gpu2:2143:2561 [1] include/shm.h:28 NCCL WARN Call to posix_fallocate failed : No space left on device",
    "[3] NCCL WARN Error while attaching to shared memory segment /dev/shm/nccl-6bTo1n (size 33030528), error: No such file or directory (2)",
    "RuntimeError: DataLoader worker (pid 412) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.\nERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
  ],
  memoryFault: [
    "(VllmWorkerProcess pid=87) RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    "Internal: failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered",
  ],
  illegalAccess: [
    "RuntimeError: CUDA error: device-side assert triggered",
    "CUDA error: an illegal instruction was encountered\n  current device: 0, in function ggml_backend_cuda_synchronize",
    "ERROR 09-27 06:46:46 engine.py:157] RuntimeError: CUDA error: an illegal memory access was encountered\nERROR 09-27 06:46:46 engine.py:157] For debugging consider passing CUDA_LAUNCH_BLOCKING=1\nRuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    "Search for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.",
  ],
  quantization: [
    "  Value error, Quantization method specified in the model config (fp8) does not match the quantization method specified in the `quantization` argument (gguf). [type=value_error, input_value=ArgsKwargs((), {}), input_type=ArgsKwargs]",
    "ValueError: Cannot find the config file for awq",
  ],
  nameTaken: [
    'docker: Error response from daemon: Conflict. The container name "/ig-qwen" is already in use by container "4a5ad6bf857fab88". You have to remove (or rename) that container to be able to reuse that name.\nSee \'docker run --help\'.',
  ],
  packages: [
    "RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.4).",
    "ImportError: cannot import name 'ALLOWED_LAYER_TYPES' from 'transformers.configuration_utils' (/home/u/.venv/lib/python3.12/site-packages/transformers/configuration_utils.py)",
    "ImportError: /home/u/.venv/lib/python3.12/site-packages/vllm/_C.abi3.so: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSsb",
  ],
  port: [
    "ERROR: \n[Errno 98] error while attempting to bind on address ('0.0.0.0', 4400): address already in use",
    "Error: listen tcp 127.0.0.1:11434: bind: address already in use",
    "main: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080",
    "docker: Error response from daemon: driver failed programming external connectivity on endpoint ig-1: Bind for 127.0.0.1:8000 failed: port is already allocated.",
  ],
  gated: [
    "401 Client Error. (Request ID: Root=1-69)\n\nCannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.2-1B-Instruct/resolve/main/config.json.\nAccess to model meta-llama/Llama-3.2-1B-Instruct is restricted. You must have access to it and be authenticated to access it. Please log in.",
  ],
  half: [
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5. You can use float16 instead by explicitly setting the`dtype` flag in CLI, for example: --dtype=half.",
  ],
  capability: [
    "RuntimeError: SGLang only supports sm75 and above.",
    "RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported",
  ],
  driver: [
    "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.",
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 12040). Please update your GPU driver",
    "ggml_cuda_init: failed to initialize CUDA: CUDA driver version is insufficient for CUDA runtime version",
  ],
  toolkit: [
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
  ],
  docker: [
    "docker: permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix",
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
  ],
  noGpu: [
    "RuntimeError: No HIP GPUs are available",
    "RuntimeError: No CUDA GPUs are available",
    "RuntimeError: Failed to infer device type",
    "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
  ],
  code: [
    "ValueError: Loading m/x requires you to execute the configuration file in that repo. Please pass the argument `trust_remote_code=True` to allow custom code to be run.",
  ],
  disk: ["OSError: [Errno 28] No space left on device: '/home/u/.cache/vllm'"],
  unsupported: [
    "ValueError: Qwen3VLForConditionalGeneration has no vLLM implementation and the Transformers implementation is not compatible with vLLM.",
    "llama_model_load: error loading model: error loading model hyperparameters: key not found in model: qwen3next.ssm.conv_kernel",
    "ValueError: Model architectures ['XForCausalLM'] are not supported for now. Supported architectures: dict_keys([])",
    "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'qwen9'",
  ],
  heads: [
    "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).",
    "ValueError: World size (4) is larger than the number of available GPUs (1) in this node.",
    "RuntimeError: CUDA error: invalid device ordinal\nCUDA kernel errors might be asynchronously reported",
  ],
  incomplete: [
    "OSError: /models/x does not appear to have a file named config.json.",
    "safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",
    "gguf_init_from_file_impl: invalid magic characters: '<htm', expected 'GGUF'",
  ],
  option: ["vllm: error: unrecognized arguments: --max-modle-len", "error: invalid argument: --nope"],
  notFound: [
    'docker: Error response from daemon: OCI runtime create failed: exec: "vllm": executable file not found in $PATH: unknown.',
    "sh: 1: exec: /home/u/.venv/bin/vllm: not found",
    "Repository Not Found for url: https://huggingface.co/api/models/a/typo.\nPlease make sure you specified the correct `repo_id`.",
    "Error: pull model manifest: file does not exist",
    "llama-server: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by llama-server)",
    "torch._inductor.exc.InductorError: RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
  ],
  killed: ["Error: llama runner process has terminated: signal: killed", "Killed"],
};

/** What llama.cpp 0.7.0 printed, by what was done to it. */
const recorded = {
  port: `0.00.012.043 W srv  llama_server: security: no API key is set and CORS allows all origins
0.00.012.225 E srv         start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 18082
0.00.012.242 I srv    operator(): operator(): cleaning up before exit...
0.00.012.318 E srv  llama_server: exiting due to HTTP server error`,
  incomplete: `0.00.015.510 E gguf_init_from_reader: invalid magic characters: '<htm', expected 'GGUF'
0.00.015.837 E llama_model_load: error loading model: llama_model_loader: failed to load model from html.gguf
0.00.015.885 E common_fit_params: encountered an error while trying to fit params to free device memory: failed to load model
0.00.015.928 E llama_model_load: error loading model: llama_model_loader: failed to load model from html.gguf
0.00.015.930 E srv    load_model: failed to load model, 'html.gguf'
0.00.020.225 E srv  llama_server: exiting due to model loading error`,
  context: `0.00.265.749 W llama_context: n_ctx_seq (4000000) > n_ctx_train (32768) -- possible training context overflow
0.00.421.050 E ggml_aligned_malloc: insufficient memory (attempted to allocate 976.56 MB)
0.00.421.245 E ggml_backend_buft_alloc_buffer_n_default: failed to allocate CPU buffer of size 1024000000
0.00.435.484 E llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache
0.00.435.709 E srv    load_model: failed to create_context with model 'tiny-words.gguf'
0.00.440.284 E srv  llama_server: exiting due to model loading error`,
  unsupported: `0.00.037.454 E llama_model_load: error loading model: unknown model architecture: 'zzzma'
0.00.037.492 E llama_model_load_from_file_impl: failed to load model
0.00.038.393 E srv  llama_server: exiting due to model loading error`,
  notFound: `0.00.029.462 E gguf_init_from_file: failed to open GGUF file 'missing.gguf' (No such file or directory)
0.00.029.466 E llama_model_load: error loading model: llama_model_loader: failed to load model from missing.gguf
0.00.029.955 E srv  llama_server: exiting due to model loading error`,
};

describe("Why a model server ended", () => {
  it("is found before the consequences that llama.cpp prints after it", () => {
    for (const [kind, log] of Object.entries(recorded)) assert.equal(explainServeFailure(log, 1).kind, kind);
  });

  it("is recognized in the logs of all programs", () => {
    for (const [kind, texts] of Object.entries(logs))
      for (const text of texts) {
        const failure = explainServeFailure(`INFO loading\n${text}\n`, 1);
        assert.equal(failure.kind, kind, text);
        // The line itself is shown, too.
        assert.ok(failure.line !== "" && text.replace(/ +/g, " ").includes(failure.line.slice(0, 40)), text);
      }
  });

  it("is the last error, so that one that the program survived isn't blamed", () => {
    const log = [
      "WARNING CUDA out of memory, retrying with a smaller batch",
      "INFO loaded",
      "ERROR [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use",
      "INFO:     Waiting for application shutdown.",
    ].join("\n");
    assert.equal(explainServeFailure(log, 1).kind, "port");
  });

  it("comes before the end of all processes, which some cause themselves", () => {
    const log = [
      "Capture cuda graph failed: CUDA out of memory. Tried to allocate 896.00 MiB.",
      "1. set --mem-fraction-static to a smaller value (e.g., 0.8 or 0.7)",
      "Received sigquit from a child process. It usually means the child failed.",
      "Killed",
    ].join("\n");
    assert.equal(explainServeFailure(log, 137).kind, "outOfMemory");
    const lost = `${log}\ntorch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268`;
    assert.equal(explainServeFailure(lost, 1).kind, "outOfMemory");
    const much = "INFO step\n".repeat(100);
    assert.equal(explainServeFailure(`CUDA out of memory, retrying\n${much}Killed`, 137).kind, "killed");
  });

  it("isn't found in options and names that are only listed", () => {
    const log =
      "non-default args: {'trust_remote_code': True}\nServerArgs(model_path='acme/Skilled-7B', trust_remote_code=True)";
    assert.equal(explainServeFailure(log, 1).kind, "");
  });

  it("offers the context that is possible", () => {
    const [first = "", second = "", third = "", fourth = ""] = logs["context"] ?? [];
    assert.deepEqual(
      [first, second, third, fourth].map((log) => explainServeFailure(log, 1).remedy?.tokens),
      [20_480, 20_480, undefined, 32_768],
    );
    assert.equal(explainServeFailure(logs["half"]?.[0] ?? "", 1).remedy?.kind, "half");
    assert.equal(explainServeFailure(logs["port"]?.[0] ?? "", 1).remedy?.kind, "port");
  });

  it("is said without a guess when the log doesn't say it", () => {
    const failure = explainServeFailure("INFO loading\nsomething odd happened\n\n", 3);
    assert.deepEqual(
      [failure.kind, failure.line, failure.remedy, failure.text],
      ["", "something odd happened", undefined, "The program ended with exit code 3."],
    );
    assert.equal(explainServeFailure("loading", 137).kind, "killed");
    assert.equal(explainServeFailure("", undefined).line, "");
    const ready =
      "srv          main: server is listening on http://127.0.0.1:8080\nThe server is fired up and ready to roll!";
    assert.equal(explainServeFailure(ready, 0).kind, "");
  });

  for (const [kind, piece] of [
    ["one line", "aaaa"],
    ["short lines", "x y\n"],
  ] as const)
    it(`is found in linear time in a huge log of ${kind}`, () => {
      assertLinearWork(
        100_000,
        (size) => piece.repeat(size),
        (log) => void explainServeFailure(log, 1),
      );
    });
});
