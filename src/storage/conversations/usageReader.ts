import type { DatabaseSync } from "node:sqlite";
import type { UsageQuery, UsageTotal } from "../../core/conversation/usageTotals.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";

/** Adds up what the stored responses took, by the user's own days and by model; the latest day comes first. */
export function readUsage(database: DatabaseSync, query: UsageQuery): readonly UsageTotal[] {
  const { since = 0, conversationId } = query;
  const rows = database.prepare(totals).all(since, conversationId ?? null, conversationId ?? null);
  return rows.map((row) => {
    const model = textColumn(row, "model");
    return {
      day: textColumn(row, "day"),
      ...(model === "" ? {} : { model }),
      answers: numberColumn(row, "answers"),
      counted: numberColumn(row, "counted"),
      promptTokens: numberColumn(row, "prompt"),
      cachedTokens: numberColumn(row, "cached"),
      completionTokens: numberColumn(row, "completion"),
      reasoningTokens: numberColumn(row, "reasoning"),
    };
  });
}

/** A response counts if the service reported both input and output tokens. Damaged details count as none. */
const totals = `
  WITH answer AS (
    SELECT date(created_at / 1000, 'unixepoch', 'localtime') AS day,
      CASE WHEN json_valid(details) THEN details ELSE '{}' END AS details
    FROM message
    WHERE role = 'assistant' AND created_at >= ? AND (? IS NULL OR conversation_id = ?)
  ), told AS (
    SELECT day,
      details ->> '$.model' AS model,
      details ->> '$.usage.promptTokens' AS prompt,
      details ->> '$.usage.cachedTokens' AS cached,
      details ->> '$.usage.completionTokens' AS completion,
      details ->> '$.usage.reasoningTokens' AS reasoning
    FROM answer
  )
  SELECT day, coalesce(model, '') AS model, count(*) AS answers,
    count(prompt + completion) AS counted,
    total(CASE WHEN prompt + completion IS NOT NULL THEN prompt END) AS prompt,
    total(CASE WHEN prompt + completion IS NOT NULL THEN cached END) AS cached,
    total(CASE WHEN prompt + completion IS NOT NULL THEN completion END) AS completion,
    total(CASE WHEN prompt + completion IS NOT NULL THEN reasoning END) AS reasoning
  FROM told
  GROUP BY day, model
  ORDER BY day DESC, model`;
