import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { requestCode } from "../../../../src/core/responses/exchange/copyCode.ts";
import type { SentRequest } from "../../../../src/core/conversation/completion.ts";

const nasty = [
  'it\'s "quoted"',
  "line\nbreak\r\ttab",
  "$HOME ${HOME} $(id) `id` !! !$ \\ \\n %s",
  "-rf --data @/etc/passwd",
  "漢字 🙂 e\u0301 \u2028 \u202e \u0000 \u0085 \ufeff",
  "lone \ud800 half",
  "'''\"\"\" JSON\nJSON\n */ // # </script>",
  "{0} {{x}} [a-z]",
].join("\n");

function createRequest(content: string, parts: Partial<SentRequest> = {}): SentRequest {
  const body = {
    model: "organization/model",
    messages: [{ role: "user", content, name: "it's" }],
    stream: true,
    ["__proto__"]: { polluted: [] },
    nothing: null,
    yes: true,
    number: 0.1,
    "a b": {},
  };
  return {
    method: "POST",
    url: "https://inference.example/v1/chat/completions?a=[1-3]&b={x,y}&c='$(id)'",
    headers: {
      accept: "text/event-stream, application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "user-agent": "x",
      authorization: "Bearer [redacted]",
      "x-own-token": "[redacted]",
      "x-note": 'it\'s "$(id)" `id`',
    },
    body: JSON.stringify(body),
    ...parts,
  };
}

const environment = { PATH: process.env["PATH"] ?? "", INFERENCE_API_KEY: "k-1", X_OWN_TOKEN: "t-1" };

/** Runs the text in a shell in which curl reports its arguments. */
function runCurl(code: string, shell = "sh", env: NodeJS.ProcessEnv = environment) {
  const script = `curl() { printf '%s\\0' "$@"; printf 'STDIN\\0'; case " $* " in *" @- "*) cat;; esac; }\n${code}`;
  const { stdout, stderr, status } = spawnSync(shell, ["-s"], {
    encoding: "utf8",
    input: script,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, "");
  const [given = "", stdin = ""] = stdout.split("STDIN\0");
  return { words: given.split("\0").slice(0, -1), stdin };
}

function after(words: readonly string[], option: string): readonly string[] {
  return words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
}

describe("A request copied as curl", () => {
  it("passes curl exactly what was sent, whatever it contains", () => {
    const request = createRequest(nasty);
    const { words } = runCurl(requestCode(request, "curl"));
    assert.deepEqual(after(words, "--url"), [request.url]);
    assert.deepEqual(after(words, "--request"), ["POST"]);
    assert.deepEqual(after(words, "--header"), [
      "accept: text/event-stream, application/json",
      "content-type: application/json",
      "authorization: Bearer k-1",
      "x-own-token: t-1",
      'x-note: it\'s "$(id)" `id`',
    ]);
    const [body = ""] = after(words, "--data-raw");
    assert.deepEqual(JSON.parse(body), JSON.parse(request.body));
    assert.ok(words.includes("--globoff") && words.includes("--no-buffer"));
  });

  it("uses a placeholder for the key if the environment doesn't contain it", () => {
    const { words } = runCurl(requestCode(createRequest("Hi"), "curl"), "sh", {
      PATH: process.env["PATH"] ?? "",
    });
    assert.ok(after(words, "--header").includes("authorization: Bearer YOUR_API_KEY"));
    assert.ok(after(words, "--header").includes("x-own-token: YOUR_X_OWN_TOKEN"));
  });

  it("passes a body that is too long for an argument", () => {
    const request = createRequest(nasty + "long ".repeat(100_000));
    const { words, stdin } = runCurl(requestCode(request, "curl"));
    assert.deepEqual(after(words, "--data-binary"), ["@-"]);
    assert.deepEqual(JSON.parse(stdin), JSON.parse(request.body));
  });

  it("puts no invisible characters onto the clipboard", () => {
    assert.doesNotMatch(requestCode(createRequest(nasty), "curl"), /[\u0080-\u009f\u2028\u202e\ufeff]/);
  });
});

describe("A request copied as JavaScript", () => {
  it("sends exactly the same request, whatever it contains", async () => {
    const request = createRequest(nasty);
    const code = requestCode(request, "javascript");
    const run = new Function("fetch", "process", `return (async () => { ${code} })();`);
    const calls: {
      readonly url: string;
      readonly init: { body: string; headers: object; method: string };
    }[] = [];
    await run(
      async (url: string, init: { body: string; headers: object; method: string }) => {
        calls.push({ url, init });
        return new Response("data: [DONE]\n\n");
      },
      { env: environment, stdout: { write: () => true } },
    );
    const [call] = calls;
    assert.equal(call?.url, request.url);
    assert.equal(call.init.method, "POST");
    assert.deepEqual(JSON.parse(call.init.body), JSON.parse(request.body));
    assert.deepEqual(call.init.headers, {
      accept: "text/event-stream, application/json",
      "content-type": "application/json",
      authorization: "Bearer k-1",
      "x-own-token": "t-1",
      "x-note": 'it\'s "$(id)" `id`',
    });
  });
});

describe("A request copied as Python", () => {
  const python = spawnSync("python3", ["--version"]).status === 0;

  it("uses Python syntax for the body", () => {
    const code = requestCode(createRequest("Hi"), "python");
    assert.match(code, /"nothing": None,/);
    assert.match(code, /"yes": True,/);
    assert.match(code, /"Bearer " \+ os\.environ\.get\("INFERENCE_API_KEY", "YOUR_API_KEY"\)/);
  });

  it("sends exactly the same request, if Python is installed", function () {
    if (!python) this.skip();
    const request = createRequest(nasty);
    const probe = [
      "import sys, json, urllib.request as u",
      "def tell(r, timeout):",
      "    json.dump([r.full_url, r.get_method(), dict(r.header_items()), r.data.decode()], sys.stdout)",
      "    sys.exit(0)",
      "u.urlopen = tell",
      requestCode(request, "python"),
    ].join("\n");
    const { stdout, stderr, status } = spawnSync("python3", ["-"], {
      encoding: "utf8",
      input: probe,
      env: environment,
    });
    assert.equal(status, 0, stderr);
    const [url, method, headers, body]: [string, string, Record<string, string>, string] = JSON.parse(stdout);
    assert.equal(url, request.url);
    assert.equal(method, "POST");
    assert.equal(headers["Authorization"], "Bearer k-1");
    assert.equal(headers["X-own-token"], "t-1");
    assert.deepEqual(JSON.parse(body), JSON.parse(request.body));
  });
});

describe("A request with images copied as code", () => {
  it("mentions how many images are left out, if any", () => {
    const text = JSON.stringify({ messages: [{ url: "data:image/png;base64,[3000 bytes left out]" }] });
    for (const language of ["curl", "python", "javascript"] as const)
      assert.match(requestCode(createRequest("", { body: text }), language), /omitted .*: 1/);
  });
});
