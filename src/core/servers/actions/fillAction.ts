import { t } from "@vscode/l10n";
import { percentEncode } from "../../kernel/httpAddress.ts";
import { isRecord } from "../../kernel/json.ts";
import type { JsonValue } from "../../kernel/json.ts";
import { fieldName } from "../fieldName.ts";
import { recordValues } from "../filter/recordValues.ts";
import type { Server } from "../server.ts";
import { fillPlaceholders, placeholderOf } from "./serverAction.ts";
import type { ServerAction } from "./serverAction.ts";
import type { SignedRequestDraft } from "./signedRequest.ts";

const longestValue = 200;
const longestPath = 2_000;

/** Why a request can't be created from a record. */
class Unfit extends Error {}

/**
 * The request of the action for this server. A value can't change the structure of the request, so a value with a slash,
 * a backslash, a percent sign, `..` or a control character is refused, as is one that is missing or too long. Only
 * declared path parameters may have slashes.
 */
export function fillAction(
  action: ServerAction,
  server: Server,
): { readonly draft: SignedRequestDraft } | { readonly problem: string } {
  const { method, body, pathParameters, query } = action;
  const one = (field: string): string => String(readValue(server, field));
  try {
    const fill = (value: JsonValue): JsonValue => {
      if (typeof value === "string") {
        const field = placeholderOf(value);
        return field === undefined
          ? value
          : pathParameters.includes(field)
            ? pathOf(server, field)
            : readValue(server, field);
      }
      if (isList(value)) return value.map(fill);
      if (!isRecord(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member)]));
    };
    const path = fillPlaceholders(action.path, (field) =>
      pathParameters.includes(field)
        ? pathOf(server, field).split("/").map(percentEncode).join("/")
        : percentEncode(one(field)),
    );
    if (!path.startsWith("/") || path.includes("//")) throw new Unfit(unfitValue(action.path));
    return {
      draft: {
        isOnce: true,
        method,
        path,
        parameters: query.map(([name, value]) => {
          const field = placeholderOf(value);
          return [name, field === undefined ? value : one(field)];
        }),
        ...(body === undefined ? {} : { body: JSON.stringify(fill(body)) }),
      },
    };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { problem: t("“{0}” can't be sent: {1}", action.name, error.message) };
  }
}

/** The page of the server in the console; undefined if the record lacks a field of the link. */
export function fillConsole(link: string, server: Server): string | undefined {
  try {
    return fillPlaceholders(link, (field) => percentEncode(String(readValue(server, field))));
  } catch (error) {
    if (error instanceof Unfit) return undefined;
    throw error;
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A string, number or boolean of the record, in the type that the record has. */
function readValue(server: Server, field: string): string | number | boolean {
  const value = findValue(server, field);
  if (value === undefined)
    throw new Unfit(t("the record of this server has no single value for {0}.", `{${field}}`));
  if (!isPlainValue(String(value))) throw new Unfit(unfitValue(`{${field}}`));
  return value;
}

/** A path in the record, checked segment by segment. */
function pathOf(server: Server, field: string): string {
  const value = String(findValue(server, field) ?? "");
  const segments = value.replace(/^\//, "").split("/");
  if (value.length > longestPath || !segments.every(isPlainValue)) throw new Unfit(unfitValue(`{${field}}`));
  return value;
}

function unfitValue(field: string): string {
  return t("the value of {0} in the record of this server doesn't fit into a request.", field);
}

function isPlainValue(value: string): boolean {
  if (value === "" || value === "." || value.length > longestValue) return false;
  return !value.includes("..") && !/[/\\%]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(value);
}

/**
 * A field of the record itself takes precedence over those inside it. An ID is never taken from inside, where it could be
 * that of something else, unless the field is a path. Secrets aren't filled in.
 */
function findValue({ record, id }: Server, field: string): string | number | boolean | undefined {
  const own = ownField(record, field);
  if (own === undefined && !/[./]/.test(field) && /(?:id|guid|arn)$/.test(fieldName(field)))
    return fieldName(field) === "id" || isFieldOf(id?.source, field) ? id?.value : undefined;
  const scoped = isRecord(record) && own !== undefined ? { [own]: record[own] } : record;
  const [value, ...others] = new Set(recordValues(scoped, field));
  if (value === undefined || value === "" || others.length > 0) return undefined;
  const raw = isRecord(record) && own !== undefined ? record[own] : undefined;
  return (typeof raw === "number" || typeof raw === "boolean") && String(raw) === value ? raw : value;
}

/** The name in the record, which is written exactly like this if another spelling is there, too. */
function ownField(record: unknown, field: string): string | undefined {
  if (!isRecord(record)) return undefined;
  if (Object.hasOwn(record, field)) return field;
  const [found, ...others] = Object.keys(record).filter((name) => fieldName(name) === fieldName(field));
  return others.length > 0 ? undefined : found;
}

function isFieldOf(source: string | undefined, field: string): boolean {
  return fieldName(source?.split(/[./]/).at(-1) ?? "") === fieldName(field);
}
