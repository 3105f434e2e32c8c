import assert from "node:assert/strict";
import type { Credential } from "../../../src/core/kernel/credential.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { ErrorReason } from "../../../src/core/kernel/errors.ts";
import { classifyFailure, setCredential } from "../../../src/core/account/secretCheck.ts";
import type { CheckVerdict, CredentialDialog } from "../../../src/core/account/secretCheck.ts";

const failure = (reason: ErrorReason): CheckVerdict =>
  classifyFailure(new ServiceError({ reason, message: `It is ${reason}.` }));
const valid: CheckVerdict = { verdict: "valid", notes: ["Your clock is ahead."] };
const key = (apiKey: string): Credential => ({ kind: "apiKey", apiKey });

/** A user who enters one key after the other and always gives the same answer. */
class Person implements CredentialDialog {
  readonly steps: string[] = [];
  readonly #keys: string[];
  readonly #verdicts: (CheckVerdict | undefined)[];
  readonly #decision: "tryAgain" | "storeAnyway" | "cancel";

  constructor(
    keys: readonly string[],
    verdicts: readonly (CheckVerdict | undefined)[],
    decision: "tryAgain" | "storeAnyway" | "cancel" = "cancel",
  ) {
    this.#keys = [...keys];
    this.#verdicts = [...verdicts];
    this.#decision = decision;
  }

  ask(): Promise<Credential | undefined> {
    const next = this.#keys.shift();
    return Promise.resolve(next === undefined ? undefined : key(next));
  }

  remember(credential: Credential): void {
    this.steps.push(`remember ${nameOf(credential)}`);
  }

  check(credential: Credential): Promise<CheckVerdict | undefined> {
    this.steps.push(`check ${nameOf(credential)}`);
    return Promise.resolve(this.#verdicts.shift());
  }

  decide(): Promise<"tryAgain" | "storeAnyway" | "cancel"> {
    this.steps.push(`decide ${this.#decision}`);
    return Promise.resolve(this.#decision);
  }
}

const nameOf = (credential: Credential): string => (credential.kind === "apiKey" ? credential.apiKey : "?");

describe("The API secret of an access key", () => {
  const refused = (culprit?: "accessKey" | "apiSecret"): CheckVerdict =>
    classifyFailure(
      new ServiceError({
        reason: "signature",
        message: "Refused.",
        ...(culprit === undefined ? {} : { culprit }),
      }),
    );

  it("is reported as wrong if the server identifies it as the cause, and as unclear otherwise", () => {
    assert.equal(refused("apiSecret").verdict, "wrong");
    assert.equal(refused("accessKey").verdict, "wrong");
    assert.equal(refused().verdict, "unclear");
  });

  it("can be reentered while the access key is kept", async () => {
    const known: (string | undefined)[] = [];
    const secrets = ["wrong", "right"];
    const outcome = await setCredential({
      ask(accessKey) {
        known.push(accessKey);
        const apiSecret = secrets.shift() ?? "";
        return Promise.resolve({ kind: "accessKey", accessKey: accessKey ?? "AKID", apiSecret });
      },
      remember: () => undefined,
      check: (credential) =>
        Promise.resolve(
          credential.kind === "accessKey" && credential.apiSecret === "right" ? valid : refused("apiSecret"),
        ),
      decide: () => Promise.resolve("tryAgain"),
    });
    assert.deepEqual(outcome?.credential, { kind: "accessKey", accessKey: "AKID", apiSecret: "right" });
    assert.deepEqual(known, [undefined, "AKID"]);
  });
});

describe("setCredential", () => {
  it("hides the key from the log, checks it, and passes on what the check noted", async () => {
    const person = new Person(["a"], [valid]);
    const outcome = await setCredential(person);
    assert.deepEqual(person.steps, ["remember a", "check a"]);
    assert.deepEqual(outcome, { credential: key("a"), notes: ["Your clock is ahead."] });
  });

  it("never accepts a wrong one, even if the user wants to store it anyway", async () => {
    for (const reason of ["apiKey", "sessionToken", "stsToken"] as const) {
      const person = new Person(["a"], [failure(reason)], "storeAnyway");
      assert.equal(await setCredential(person), undefined);
      assert.deepEqual(person.steps, ["remember a", "check a", "decide storeAnyway"], reason);
    }
  });

  it("prompts again after a rejected credential", async () => {
    const person = new Person(["a", "b"], [failure("apiKey"), valid], "tryAgain");
    assert.deepEqual((await setCredential(person))?.credential, key("b"));
  });

  it("accepts one that could not be checked if the user says so", async () => {
    for (const reason of ["unreachable", "tls", "proxy", "timeout", "forbidden", "notFound"] as const) {
      const person = new Person(["a"], [failure(reason)], "storeAnyway");
      assert.deepEqual((await setCredential(person))?.credential, key("a"), reason);
    }
  });

  it("accepts nothing when the user cancels, at the question or during the check", async () => {
    for (const person of [new Person([], []), new Person(["a"], [undefined])]) {
      assert.equal(await setCredential(person), undefined);
    }
  });
});

describe("classifyFailure", () => {
  it("never calls a credential wrong because of a network failure", () => {
    for (const reason of ["unreachable", "tls", "proxy", "timeout", "unavailable"] as const) {
      assert.equal(failure(reason).verdict, "unreachable", reason);
    }
  });

  it("leaves the verdict open if the error is inconclusive", () => {
    for (const reason of ["forbidden", "rateLimit", "notFound", "malformed", "authenticationType"] as const) {
      assert.equal(failure(reason).verdict, "unclear", reason);
    }
  });

  it("treats a key as valid if its account is out of credit", () => {
    assert.deepEqual(failure("payment"), { verdict: "valid", notes: ["It is payment."] });
  });

  it("repeats nothing from an unknown error", () => {
    assert.ok(!JSON.stringify(classifyFailure(new Error("CANARY"))).includes("CANARY"));
  });
});
