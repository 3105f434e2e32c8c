import { t } from "@vscode/l10n";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { credentialKinds, secretTexts } from "./credentialKinds.ts";
import { describeSource } from "./formatSource.ts";
import type { CredentialSource } from "./credentialSource.ts";
import type { SecretResult } from "./credentialState.ts";
import { lastFour } from "./storedSecret.ts";
import { readSupplied } from "./secretInput.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** A credential that a profile's source is asked for, and the origin that it is sent to. */
export interface SupplyRequest {
  readonly profileName: string;
  readonly kind: SecretKind;
  readonly origin: string;
  readonly source: CredentialSource;
}

/** The text that a source returned, or a sentence that explains why it didn't. */
export type SourceReading = { readonly text: string } | { readonly problem: string };

interface SuppliesContext {
  /** Whether the user allows this source for this origin. Asks once; resolves with false if the user declines. */
  confirm(request: SupplyRequest): Promise<boolean>;
  /** Never rejects. */
  read(request: SupplyRequest): Promise<SourceReading>;
  /** Redacts it in all output from now on. */
  remember(secret: string): void;
  /** A line without secrets. */
  log(line: string): void;
  /** Milliseconds since 1970. */
  now(): number;
}

interface Supplied {
  readonly credential: Credential;
  readonly obtainedAt: number;
  readonly expiresAt?: number;
}

type Outcome = Supplied | { readonly problem: string };

/** What may be shown about a supplied credential. Times are in milliseconds since 1970. */
export interface SuppliedFacts {
  readonly obtainedAt: number;
  readonly expiresAt?: number;
  readonly lastFour?: string;
}

/** A credential is renewed this long before it expires, in milliseconds, or after 80 % of a shorter life. */
const marginMs = 60_000;
/** A source that failed, or returned a credential that was refused, isn't asked again for this long. */
const restMs = 2_000;

/**
 * The credentials that commands, files and variables supply. Each is requested when it is first needed, and again
 * before it expires or when a server refuses it. They are only in memory, and each window requests its own.
 */
export class SuppliedCredentials {
  readonly #context: SuppliesContext;
  readonly #supplies = new Map<string, Supply>();

  constructor(context: SuppliesContext) {
    this.#context = context;
  }

  /**
   * The credential, or `unavailable` with a sentence.
   * @param refused The credential that the server refused.
   */
  async obtain(request: SupplyRequest, refused?: Credential): Promise<SecretResult> {
    if (!(await this.#context.confirm(request))) {
      const problem = t(
        "Nothing was sent: the {0} for the profile “{1}” comes from {2}, which hasn't been allowed yet. Choose “{3}” to allow it.",
        credentialKinds[request.kind].noun(),
        request.profileName,
        describeSource(request.source),
        credentialKinds[request.kind].setLabel(),
      );
      return { state: "unavailable", problem, isAllowed: false };
    }
    const outcome = await this.#supplyOf(request).obtain(
      refused === undefined ? undefined : secretTexts(refused)[0],
    );
    if ("problem" in outcome) return { state: "unavailable", problem: outcome.problem, isAllowed: true };
    const { credential, obtainedAt, expiresAt } = outcome;
    return filledFields({ state: "present", credential, savedAt: obtainedAt, expiresAt });
  }

  /** What is known without asking the source. */
  facts(request: SupplyRequest): SuppliedFacts | undefined {
    return this.#supplies.get(supplyName(request))?.facts;
  }

  /** The source may return something else now, for example because its file has changed. */
  invalidate(request: SupplyRequest): void {
    this.#supplies.get(supplyName(request))?.invalidate();
  }

  /** Forgets all others. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#supplies.keys()) if (!names.has(name)) this.#supplies.delete(name);
  }

  #supplyOf(request: SupplyRequest): Supply {
    const name = supplyName(request);
    const known = this.#supplies.get(name);
    if (known !== undefined) return known;
    const supply = new Supply(this.#context, request);
    this.#supplies.set(name, supply);
    return supply;
  }
}

/** Equal only for the same source that supplies the same credential to the same place. */
export function supplyName({ profileName, kind, origin, source }: SupplyRequest): string {
  return JSON.stringify([profileName, kind, origin, source]);
}

/** One source. */
class Supply {
  readonly #context: SuppliesContext;
  readonly #request: SupplyRequest;
  #current: Supplied | undefined;
  #failed: { readonly problem: string; readonly at: number } | undefined;
  #pending: Promise<Outcome> | undefined;
  #isStubborn = false;

  constructor(context: SuppliesContext, request: SupplyRequest) {
    this.#context = context;
    this.#request = request;
  }

  get facts(): SuppliedFacts | undefined {
    if (this.#current === undefined) return undefined;
    const { credential, obtainedAt, expiresAt } = this.#current;
    return filledFields({ obtainedAt, expiresAt, lastFour: lastFour(credential) });
  }

  async obtain(refused: string | undefined): Promise<Outcome> {
    const current = this.#current;
    if (current !== undefined && this.#isGood(current, refused)) return current;
    if (this.#failed !== undefined && this.#context.now() - this.#failed.at < restMs)
      return this.#usable(refused) ?? this.#failed;
    const isJoining = this.#pending !== undefined;
    this.#pending ??= this.#renew(refused).finally(() => (this.#pending = undefined));
    const outcome = await this.#pending;
    // What was already on its way may be the very credential that was refused.
    return isJoining && valueOf(outcome) === refused && refused !== undefined
      ? await this.obtain(refused)
      : outcome;
  }

  invalidate(): void {
    this.#current = undefined;
    this.#failed = undefined;
  }

  #isGood(supplied: Supplied, refused: string | undefined): boolean {
    const now = this.#context.now();
    const { credential, obtainedAt, expiresAt } = supplied;
    // A source that returned the same credential again a moment ago won't have another one now.
    if (refused === secretTexts(credential)[0]) return this.#isStubborn && now - obtainedAt < restMs;
    if (expiresAt === undefined) return true;
    return now < expiresAt - Math.min(marginMs, (expiresAt - obtainedAt) * 0.2);
  }

  async #renew(refused: string | undefined): Promise<Outcome> {
    const outcome = await this.#read();
    if ("credential" in outcome) {
      this.#isStubborn = refused === valueOf(outcome);
      this.#current = outcome;
      this.#failed = undefined;
      return outcome;
    }
    this.#failed = { ...outcome, at: this.#context.now() };
    this.#context.log(outcome.problem);
    return this.#usable(refused) ?? outcome;
  }

  /** The last credential until it expires, because it is renewed too early rather than too late. */
  #usable(refused: string | undefined): Supplied | undefined {
    const last = this.#current;
    if (last?.expiresAt === undefined || valueOf(last) === refused) return undefined;
    return this.#context.now() < last.expiresAt ? last : undefined;
  }

  async #read(): Promise<Outcome> {
    const { source, kind, profileName } = this.#request;
    const requestedAt = this.#context.now();
    const reading = await this.#context.read(this.#request);
    if ("problem" in reading) return reading;
    const supplied = readSupplied(reading.text, kind, requestedAt);
    const noun = credentialKinds[kind].noun();
    if ("problem" in supplied) {
      const problem = t(
        "The {0} for the profile “{1}” can't be read from {2}: {3}.",
        noun,
        profileName,
        describeSource(source),
        supplied.problem,
      );
      return { problem };
    }
    for (const secret of secretTexts(supplied.credential)) this.#context.remember(secret);
    const obtainedAt = this.#context.now();
    this.#context.log(`The ${kind} for “${profileName}” was obtained after ${obtainedAt - requestedAt} ms`);
    const { credential, expiresAt = 0 } = supplied;
    // By our clock or our reading of its time, it may be over. The server decides about what was just supplied.
    return expiresAt > obtainedAt ? { credential, obtainedAt, expiresAt } : { credential, obtainedAt };
  }
}

function valueOf(outcome: Outcome): string | undefined {
  return "credential" in outcome ? secretTexts(outcome.credential)[0] : undefined;
}
