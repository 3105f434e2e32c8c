/**
 * Generates fake secrets that are the same in every run but aren't in any file, so that scanners don't mistake the
 * tests for a leak.
 */
export class FakeSecrets {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** `length` characters of the alphabet, including a digit, and letters of both cases if the alphabet has them. */
  random(length: number, alphabet = letters + letters.toLowerCase() + digits): string {
    for (;;) {
      const text = Array.from({ length }, () => alphabet[this.#next(alphabet.length)] ?? "").join("");
      const isMixed = [/[0-9]/, /[a-z]/, /[A-Z]/].every((part) => !part.test(alphabet) || part.test(text));
      if (isMixed || length < 3) return text;
    }
  }

  hex(length: number): string {
    return this.random(length, "0123456789abcdef");
  }

  base64(length: number): string {
    return this.random(length, `${letters}${letters.toLowerCase()}${digits}+/`);
  }

  upper(length: number): string {
    return this.random(length, letters + digits);
  }

  /** A password as people choose them. */
  password(): string {
    const words = ["Winter", "falcon", "Tulip", "Magenta", "otter", "Quarz", "bicycle", "Harbor"];
    const word = words[this.#next(words.length)] ?? "";
    return `${word}${["!", "#", "-", "_", "@"][this.#next(5)]}${100 + this.#next(9_000)}`;
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.hex(length)).join("-");
  }

  jwt(): string {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: this.hex(12), iat: 1_700_000_000 })}.${this.random(43)}`;
  }

  /** A private key in PEM format whose body starts with the bytes that are typical of such keys. */
  pem(label: string, lines = 6): string {
    const start =
      { RSA: "MIIEowIBAAKCAQEA", OPENSSH: "b3BlbnNzaC1rZXktdjEAAAAABG5v", EC: "MHcCAQEEI" }[label] ??
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    const body = `${start}${this.base64(64 * lines - start.length)}`.match(/.{64}/g) ?? [];
    const name = `${label === "" ? "" : `${label} `}PRIVATE KEY`;
    return [`-----BEGIN ${name}-----`, ...body, `${this.base64(40)}=`, `-----END ${name}-----`].join("\n");
  }

  #next(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";

/** A text containing something that must not leave the machine. */
export interface SecretCase {
  readonly what: string;
  readonly text: string;
  /** Each of them has to be found. */
  readonly secrets: readonly string[];
}

/** Collects cases: `add` takes the secret and the surrounding text. */
export function collectCases(): {
  readonly cases: SecretCase[];
  add(what: string, secret: string | readonly string[], text: string): void;
} {
  const cases: SecretCase[] = [];
  return {
    cases,
    add(what, secret, text) {
      cases.push({ what, text, secrets: typeof secret === "string" ? [secret] : secret });
    },
  };
}

/** Whether a text still contains enough of a secret to use or guess it. */
export function isLeft(text: string, secret: string): boolean {
  const half = Math.max(5, Math.ceil(secret.length * 0.6));
  return text.includes(secret) || text.includes(secret.slice(0, half)) || text.includes(secret.slice(-half));
}
