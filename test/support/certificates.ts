import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isIPv4 } from "node:net";

/** A certificate with its key, as PEM. Created for every run, so that nothing can expire or leak. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface TestAuthority extends TestCertificate {
  /** Signs a certificate for the hosts (names or IPv4 addresses). */
  issue(hosts: readonly string[], validity?: Validity): TestCertificate;
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

const today: Validity = {
  from: new Date(Date.now() - 3_600_000),
  to: new Date(Date.now() + 24 * 3_600_000),
};

export function createAuthority(name: string): TestAuthority {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const isAuthority = extension("551d13", true, sequence(tlv(0x01, Buffer.from([0xff]))));
  const root = build(name, keys.publicKey, name, keys.privateKey, today, [isAuthority]);
  return {
    certificate: root,
    key: exportKey(keys.privateKey),
    issue(hosts, validity = today) {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const names = extension("551d11", false, sequence(...hosts.map(alternativeName)));
      const leaf = build(hosts[0] ?? "", own.publicKey, name, keys.privateKey, validity, [names]);
      return { certificate: leaf, key: exportKey(own.privateKey) };
    },
  };
}

/** X.509 (RFC 5280) in DER, reduced to what TLS needs. */
function build(
  subject: string,
  publicKey: KeyObject,
  issuer: string,
  issuerKey: KeyObject,
  validity: Validity,
  extensions: readonly Buffer[],
): string {
  const ecdsaWithSha256 = sequence(tlv(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const serial = tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    serial,
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(validity.from), time(validity.to)),
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = createSign("sha256").update(body).sign(issuerKey);
  const whole = sequence(body, ecdsaWithSha256, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

function commonName(name: string): Buffer {
  const attribute = sequence(tlv(0x06, Buffer.from("550403", "hex")), tlv(0x0c, Buffer.from(name)));
  return sequence(tlv(0x31, attribute));
}

function time(date: Date): Buffer {
  return tlv(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, "")}Z`));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [tlv(0x01, Buffer.from([0xff]))] : [];
  return sequence(tlv(0x06, Buffer.from(id, "hex")), ...critical, tlv(0x04, value));
}

function alternativeName(host: string): Buffer {
  if (!isIPv4(host)) return tlv(0x82, Buffer.from(host));
  return tlv(0x87, Buffer.from(host.split(".").map(Number)));
}

function exportKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
