import { isRecord } from "../../kernel/json.ts";
import { secretName } from "../../account/secrets/secretNames.ts";
import { maskSecretText } from "../secretMask.ts";
import type { FilterSubject } from "../serverProperties.ts";
import { filterValues, knownFields, traitNames } from "./filterSubject.ts";
import { quoteFilterValue, splitFilter } from "./parseFilter.ts";

/** The filter with its last word completed. */
interface FilterCompletion {
  /** The whole filter after the completion. */
  readonly filter: string;
  /** The completed text, such as `gpu:` or `gpu:h100`. */
  readonly label: string;
  /** How many servers have this value; undefined for a field. */
  readonly count?: number;
}

const maxSubjects = 2_000;
const maxCompletions = 12;

/** The completions of a filter's last word: fields while a field is being typed, then the values that servers have. */
export function filterCompletions(
  text: string,
  subjects: readonly FilterSubject[],
): readonly FilterCompletion[] {
  const last = splitFilter(text).findLast(({ end }) => end === text.length);
  const word = last?.text ?? "";
  const before = text.slice(0, text.length - word.length);
  const sign = word.startsWith("-") ? "-" : "";
  const match = /^([^:"]+):(.*)$/s.exec(word.slice(sign.length));
  const sample = subjects.slice(0, maxSubjects);
  if (match === null) return completeField(before + sign, word.slice(sign.length), sample);
  const [, field = "", value = ""] = match;
  if (/^[<>=]/.test(value)) return [];
  const cut = value.lastIndexOf(",") + 1;
  const start = `${sign}${field}:${value.slice(0, cut)}`;
  return completeValue(before, start, field, value.slice(cut).replaceAll('"', ""), sample);
}

function completeField(
  before: string,
  begun: string,
  subjects: readonly FilterSubject[],
): readonly FilterCompletion[] {
  const wanted = begun.toLowerCase();
  const fields = new Set([...knownFields, ...recordFields(subjects)]);
  return [...fields]
    .filter((field) => field.toLowerCase().startsWith(wanted) && !/[\s:"]/.test(field))
    .slice(0, maxCompletions)
    .map((field) => ({ label: `${field}:`, filter: `${before}${field}:` }));
}

/** The field names that occur in the records, except those that denote secrets. */
function recordFields(subjects: readonly FilterSubject[]): readonly string[] {
  const names = subjects
    .slice(0, 50)
    .flatMap(({ server: { record } }) => (isRecord(record) ? Object.keys(record) : []));
  return [...new Set(names)].filter(
    (name) => secretName(name) === undefined && name.length < 60 && maskSecretText(name) === name,
  );
}

function completeValue(
  before: string,
  start: string,
  field: string,
  begun: string,
  subjects: readonly FilterSubject[],
): readonly FilterCompletion[] {
  const wanted = begun.toLowerCase();
  const counts = new Map<string, number>();
  for (const subject of subjects) {
    const values = filterValues(subject, field);
    const keys = field === "status" ? values.map((value) => value.toLowerCase()) : values;
    for (const key of new Set(keys)) {
      if (key.length <= 60 && key.toLowerCase().includes(wanted)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  if (field.toLowerCase() === "is") for (const name of traitNames) counts.set(name, counts.get(name) ?? 0);
  return [...counts]
    .toSorted(([first, some], [second, others]) => others - some || first.localeCompare(second))
    .slice(0, maxCompletions)
    .map(([value, count]) => {
      const label = start + quoteFilterValue(value);
      return { label, filter: `${before}${label} `, count };
    });
}
