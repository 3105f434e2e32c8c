import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { fetchImage, isPublicHost } from "../../../src/gateway/http/fetchImage.ts";
import { createAuthority } from "../../support/certificates.ts";
import { Harness } from "./transportHarness.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("fetchImage", () => {
  const harness = new Harness();
  const authority = createAuthority("pictures");
  afterEach(() => harness.close());

  async function load(listener: RequestListener, path = "/a.png") {
    const server = await harness.server(listener, authority.issue(["127.0.0.1"]));
    const transport = harness.transport({}, { readCertificates: () => [authority.certificate] });
    const image = await fetchImage({ transport, isAllowedHost: () => true }, `${server.url}${path}`);
    return { server, image };
  }

  async function errorOf(listener: RequestListener): Promise<string> {
    const { image } = await load(listener);
    return "error" in image ? image.error : "no error";
  }

  it("returns the image as data, requested without a cookie, credential or referrer", async () => {
    let headers: readonly string[] = [];
    const { server, image } = await load((request, response) => {
      headers = Object.keys(request.headers);
      response.setHeader("set-cookie", "a=b").end(png);
    }, "/a.png?x=1#part");
    assert.deepEqual(image, { dataUrl: `data:image/png;base64,${png.toString("base64")}` });
    assert.deepEqual(server.urls, ["/a.png?x=1"]);
    for (const name of ["cookie", "authorization", "referer", "origin"])
      assert.ok(!headers.includes(name), name);
  });

  it("trusts the first bytes and not the content type", async () => {
    const page = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    assert.match(
      await errorOf((_, response) => response.setHeader("content-type", "image/png").end(page)),
      /Unsupported image type/,
    );
    assert.match(await errorOf((_, response) => response.end()), /Unsupported image type/);
  });

  it("stops when the image is too large, whatever length the server announces", async () => {
    assert.match(
      await errorOf((_, response) => response.setHeader("content-length", "99999999").end(png)),
      /larger than 10 MB/,
    );
    assert.match(
      await errorOf((_, response) => {
        response.write(png);
        for (let part = 0; part < 12; part += 1) response.write(Buffer.alloc(1024 * 1024));
        response.end();
      }),
      /larger than 10 MB/,
    );
  });

  it("follows no redirect to another host", async () => {
    const other = await harness.server((_, response) => response.end(png));
    const words = await errorOf((_, response) => response.writeHead(302, { location: other.url }).end());
    assert.match(words, /redirects to another host/);
    assert.equal(other.sockets.length, 0);
  });

  it("reports a failed response", async () => {
    assert.match(await errorOf((_, response) => response.writeHead(404).end()), /status 404/);
  });

  it("requests images only over https, and never from a private network", async () => {
    const transport = harness.transport();
    const refused = [
      "http://example.org/a.png",
      "file:///etc/passwd",
      "not an address",
      "https://user@example.org/a.png",
      "https://127.0.0.1/a.png",
      "https://2130706433/a.png",
      "https://localhost/a.png",
      "https://router.lan/",
    ];
    for (const address of refused) assert.ok("error" in (await fetchImage({ transport }, address)), address);
  });
});

describe("isPublicHost", () => {
  it("accepts addresses on the public network", () => {
    for (const host of ["example.org", "93.184.216.34", "[2606:2800:220:1::1]"])
      assert.equal(isPublicHost(host), true, host);
  });

  it("rejects addresses that aren't on the public network", () => {
    const hosts = [
      ...["localhost", "a.localhost", "printer.local", "intranet", "db.internal", "host."],
      ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"],
      ...[
        "[::1]",
        "[::]",
        "[::ffff:7f00:1]",
        "[fe80::1]",
        "[fc00::1]",
        "[64:ff9b::a00:1]",
        "[2002:a00:1::1]",
      ],
    ];
    for (const host of hosts) assert.equal(isPublicHost(host), false, host);
  });
});
