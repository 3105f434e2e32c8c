import { generateKeyPairSync } from "node:crypto";
import { FakeSecrets } from "./fakeSecrets.ts";

/** Texts with values as random as keys that everyone may see. */
export function publicTexts(): readonly string[] {
  return [...publicPems(), ...wireGuardKeys(), ...publishable(), ...checksums(), ...facts];
}

/** Public keys and a certificate as PEM writes them: alone, quoted, in a sentence, in JSON, in settings and in code. */
function publicPems(): readonly string[] {
  const pems = [
    ...[1_024, 2_048, 4_096].flatMap((modulusLength) => [
      generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ type: "spki", format: "pem" }),
      generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ type: "pkcs1", format: "pem" }),
    ]),
    ...["P-256", "P-384", "P-521"].map((namedCurve) =>
      generateKeyPairSync("ec", { namedCurve }).publicKey.export({ type: "spki", format: "pem" }),
    ),
    generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }),
    generateKeyPairSync("x25519").publicKey.export({ type: "spki", format: "pem" }),
  ].map((pem) => String(pem).trim());
  return pems.flatMap((pem) => {
    const line = pem.replaceAll("\n", "\\n");
    return [
      pem,
      `Why is this key rejected?\n\n\`\`\`\n${pem}\n\`\`\``,
      `{ "public_key": "${line}" }`,
      `{ "key": "${line}" }`,
      `JWT_PUBLIC_KEY="${line}"`,
      `verifyKey: |\n${pem.replaceAll(/^/gm, "  ")}`,
      `const key = \`${pem}\`;`,
      `jwt.verify(token, "${line}")`,
      pem
        .split("\n")
        .map((part) => `"${part}\\n"`)
        .join("\n"),
    ];
  });
}

function wireGuardKeys(): readonly string[] {
  const fake = new FakeSecrets(51);
  return Array.from({ length: 10 }, () => `${fake.base64(42)}E=`).flatMap((key) => [
    `[Peer]\nPublicKey = ${key}\nAllowedIPs = 10.0.0.0/24`,
    `public key: ${key}`,
    `peer: ${key}\n  endpoint: 192.0.2.1:51820`,
    `wg set wg0 peer ${key} allowed-ips 10.0.0.2/32`,
    `{ "publicKey": "${key}" }`,
    `WG_PUBLIC_KEY=${key}`,
    `The public key of the server is ${key}.`,
    `interface: wg0\n  public key: ${key}\n  private key: (hidden)\n  listening port: 51820`,
  ]);
}

/** Keys that services expect in pages, and cookies and IDs of analytics. */
function publishable(): readonly string[] {
  const fake = new FakeSecrets(52);
  const number = (length: number): string => fake.random(length, "123456789");
  return [
    `STRIPE_PUBLISHABLE_KEY=pk_live_${fake.random(24)}`,
    `const stripe = Stripe("pk_test_${fake.random(24)}");`,
    `NEXT_PUBLIC_STRIPE_KEY=pk_live_${fake.random(99)}`,
    `RECAPTCHA_SITE_KEY=6L${fake.random(38)}`,
    `<div class="g-recaptcha" data-sitekey="6L${fake.random(38)}"></div>`,
    `<div class="h-captcha" data-sitekey="${fake.uuid()}"></div>`,
    `<div class="cf-turnstile" data-sitekey="0x4AAAAAAA${fake.random(14)}"></div>`,
    `siteKey: "6L${fake.random(38)}"`,
    `VITE_TURNSTILE_SITE_KEY=0x4AAAAAAA${fake.random(14)}`,
    `NEXT_PUBLIC_CLERK_PUBLISHABLE_KEY=pk_test_${fake.random(60)}`,
    `NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY=sb_publishable_${fake.random(31)}`,
    `mapboxgl.accessToken = "pk.eyJ1Ijoi${fake.random(60)}.${fake.random(22)}";`,
    `NEXT_PUBLIC_MAPBOX_TOKEN=pk.eyJ1Ijoi${fake.random(60)}.${fake.random(22)}`,
    `posthog.init("phc_${fake.random(43)}", { api_host: "https://eu.i.posthog.com" })`,
    `NEXT_PUBLIC_POSTHOG_KEY=phc_${fake.random(43)}`,
    `VAPID_PUBLIC_KEY=B${fake.random(86)}`,
    `applicationServerKey: "B${fake.random(86)}"`,
    `Cookie: _ga=GA1.2.${number(9)}.${number(10)}; _gid=GA1.2.${number(9)}.${number(10)}`,
    `Cookie: _ga_${fake.upper(10)}=GS1.1.${number(10)}.3.1.${number(10)}.60.0.0`,
    `Cookie: _fbp=fb.1.${number(13)}.${number(10)}; _gcl_au=1.1.${number(9)}.${number(10)}`,
    `Cookie: _hjSessionUser_${number(7)}=${Buffer.from(`{"id":"${fake.uuid()}","created":${number(13)},"existing":true}`).toString("base64")}`,
    `Cookie: ajs_anonymous_id=${fake.uuid()}; theme=dark`,
    `Cookie: OptanonConsent=isGpcEnabled=0&datestamp=Mon+Jan+01&version=202401.2.0&consentId=${fake.uuid()}`,
    `Set-Cookie: AWSALB=${fake.base64(92)}; Expires=Thu, 01 Jan 2026 00:00:00 GMT; Path=/`,
    `gtag("config", "G-${fake.upper(10)}");`,
    `GTM_ID=GTM-${fake.upper(7)}`,
    `SENTRY_RELEASE=${fake.hex(40)}`,
    `client_id: "${number(12)}-${fake.random(32).toLowerCase()}.apps.googleusercontent.com"`,
    `ALGOLIA_APP_ID=${fake.upper(10)}`,
    `AWS_ACCOUNT_ID=${number(12)}`,
  ];
}

function checksums(): readonly string[] {
  const fake = new FakeSecrets(53);
  return [
    `${fake.hex(64)}  ubuntu-24.04.iso`,
    `MD5 (file.tar.gz) = ${fake.hex(32)}`,
    `sha256 "${fake.hex(64)}"`,
    `"integrity": "sha384-${fake.base64(64)}"`,
    `<script src="a.js" integrity="sha384-${fake.base64(64)}" crossorigin="anonymous"></script>`,
    `FROM node@sha256:${fake.hex(64)}`,
    `--hash=sha256:${fake.hex(64)}`,
    `github.com/pkg/errors v0.9.1 h1:${fake.base64(43)}=`,
    `checksum = "${fake.hex(64)}"`,
    `narHash = "sha256-${fake.base64(43)}=";`,
    `SHA256:${fake.base64(43)} me@host (ED25519)`,
    `ECDSA key fingerprint is SHA256:${fake.base64(43)}.`,
    `pin-sha256="${fake.base64(43)}="`,
    `ETag: "${fake.hex(32)}-12"`,
    `cacheKey: "v1-${fake.hex(64)}"`,
    `key: \${{ runner.os }}-${fake.hex(64)}`,
    `Merge commit '${fake.hex(40)}' into main`,
    `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${fake.base64(340)} me@box`,
    `example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${fake.base64(43)}`,
    `The age recipient is age1${fake.random(58).toLowerCase()}`,
    `Fingerprint: ${fake.hex(40).toUpperCase()}`,
    `const HASH_KEY = "sha256:${fake.hex(64)}";`,
    `authorized_keys: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${fake.base64(43)} deploy`,
    `content-security-policy: script-src 'sha256-${fake.base64(43)}='`,
    `"_id": "${fake.hex(24)}", "sessionKeyId": "${fake.uuid()}"`,
  ];
}

/** What customers of clouds look for. */
const facts: readonly string[] = [
  "Standard_ND96isr_H100_v5 costs less than Standard_NC80adis_H100_v5",
  "size: Standard_NC24ads_A100_v4, token limit 8192",
  "instance_type: p5.48xlarge, key_name: laptop",
  "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb, a2-ultragpu-8g, ecs.gn7i-c32g1.32xlarge",
  "GPU-5f7c1a52-9a3b-4f0e-8f43-0c2a1b7f6e11 is busy; which login do I need?",
  "gpu_8x_h100_sxm5 in us-east-1, tokens per second: 3500",
];
