import assert from "node:assert/strict";
import { failureOf, get, Harness, post, readText } from "./transportHarness.ts";

describe("Redirects", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  it("are followed on the same origin, with method, headers and body kept as HTTP requires", async () => {
    const server = await harness.server((request, response) => {
      if (request.url === "/old") response.writeHead(307, { location: "/new?x=1" }).end("moved");
      else request.pipe(response.writeHead(200, { "x-method": request.method }));
    });
    const transport = harness.transport();
    const response = await transport.request(post(`${server.url}/old`, "the body"));
    assert.deepEqual([response.headers["x-method"], await readText(response)], ["POST", "the body"]);
    assert.deepEqual(server.urls, ["/old", "/new?x=1"]);
    assert.equal(server.sockets.length, 1);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`with status ${status} never send credentials to another origin`, async () => {
      const other = await harness.server((_, response) => response.end());
      const server = await harness.server((_, response) =>
        response.writeHead(status, { location: `${other.url}/login?from=secret` }).end(),
      );
      const headers = { authorization: "canary-credential" };
      const request = get(server.url, { headers, isAuthenticated: true });
      const error = await failureOf(harness.transport().request(request));
      assert.deepEqual([error.reason, error.statusCode], ["redirected", status]);
      assert.ok(error.message.includes(other.url));
      assert.ok(!error.message.includes("/login"));
      assert.equal(other.sockets.length, 0);
    });
  }

  it("to another scheme lead to another origin", async () => {
    const server = await harness.server((request, response) =>
      response.writeHead(308, { location: `https://${request.headers.host}/` }).end(),
    );
    const error = await failureOf(harness.transport().request(get(server.url)));
    assert.equal(error.reason, "redirected");
  });

  it("that would turn a completion into a GET are rejected", async () => {
    const server = await harness.server((_, response) =>
      response.writeHead(302, { location: "/login" }).end(),
    );
    const error = await failureOf(harness.transport().request(post(server.url, "{}")));
    assert.equal(error.reason, "redirected");
    assert.deepEqual(server.urls, ["/"]);
  });

  it("are followed at most five times", async () => {
    const server = await harness.server((_, response) =>
      response.writeHead(302, { location: "/again" }).end(),
    );
    const error = await failureOf(harness.transport().request(get(server.url)));
    assert.equal(error.reason, "redirected");
    assert.equal(server.urls.length, 6);
  });

  it("without a location are ordinary responses", async () => {
    const server = await harness.server((_, response) => response.writeHead(302).end("nowhere"));
    const response = await harness.transport().request(get(server.url));
    assert.deepEqual([response.statusCode, await readText(response)], [302, "nowhere"]);
  });
});

describe("Credentials over plain HTTP", () => {
  const harness = new Harness();
  afterEach(() => harness.close());

  it("are rejected before the host name is resolved", async () => {
    const request = get("http://gpu.example/v1", { isAuthenticated: true });
    const error = await failureOf(harness.transport().request(request));
    assert.equal(error.reason, "insecure");
    assert.match(error.message, /allowInsecureHttp/);
  });

  it("are rejected for hosts that only look like this machine", async () => {
    for (const host of ["127.evil.example", "localhost.evil.example", "[::2]", "128.0.0.1"]) {
      const request = get(`http://${host}/`, { isAuthenticated: true });
      assert.equal((await failureOf(harness.transport().request(request))).reason, "insecure", host);
    }
  });

  it("are allowed for this machine", async () => {
    const server = await harness.server((_, response) => response.end("fine"));
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"]) {
      const url = `http://${host}:${server.port}/`;
      const response = await harness.transport().request(get(url, { isAuthenticated: true }));
      assert.equal(await readText(response), "fine", host);
    }
  });

  it("are allowed elsewhere if the profile permits it", async () => {
    const request = get("http://gpu.invalid/", { isAuthenticated: true, allowInsecureHttp: true });
    assert.equal((await failureOf(harness.transport().request(request))).reason, "unreachable");
  });
});
