import { readFileSync } from "node:fs";
import type { PanelSnapshot } from "../../../src/core/panel/protocol.ts";
import { createMessage, createSnapshot } from "./chatPageDriver.ts";

export const showcase = readFileSync(new URL("./showcase.md", import.meta.url), "utf8");

const answer = `Multi-head attention lets every head look at the sequence **in its own way**, then joins what they found:

1. Project the input to queries, keys and values.
2. Attend in each head; \`scale\` keeps the logits small:

   \`\`\`python
   def attention(q, k, v, mask=None):
       """Scaled dot-product attention."""
       logits = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5  # (…, n, n)
       if mask is not None:
           logits = logits.masked_fill(mask == 0, float("-inf"))
       return logits.softmax(dim=-1) @ v
   \`\`\`

3. Concatenate and project once more.

| GPU | Memory | Heads at once |
| :-- | --: | :-: |
| H100 SXM5 | 80 GB | 64 |
| L40S | 48 GB | 32 |

> The cost is quadratic in the length of the sequence.

- [x] explained
- [ ] measured, see [the paper](https://arxiv.org/abs/1706.03762)
`;

/** A conversation with one of everything. */
export const busySnapshot: PanelSnapshot = createSnapshot({
  messages: [
    createMessage({ id: "1", role: "user", text: "How does multi-head attention work?\nWith code, please." }),
    createMessage({
      id: "2",
      text: answer,
      reasoning: "The user wants an **explanation** with code.\n\nKeep it short.",
      toolCalls: [{ id: "call-1", name: "search_papers", arguments: '{"query":"attention","limit":3}' }],
      usage: { promptTokens: 1234, completionTokens: 567, reasoningTokens: 89, cachedTokens: 1024 },
      finishReason: "stop",
    }),
    createMessage({ id: "3", role: "user", text: "And on eight GPUs?" }),
    createMessage({
      id: "4",
      status: "failed",
      text: "With tensor parallelism each GPU takes a share of the heads, and",
      error: {
        reason: "truncated",
        message: "The answer stopped before it was complete. What came is kept; retry to ask again.",
        statusCode: 200,
        code: "stream_truncated",
        serverMessage: "upstream connect error or disconnect/reset before headers",
        requestId: "req_8f14e45fceea167a",
        request: "POST https://inference.example.org/v1/chat/completions",
      },
    }),
  ],
});
