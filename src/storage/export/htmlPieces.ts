import { createHash } from "node:crypto";
import { t } from "@vscode/l10n";
import createMarkdownIt from "markdown-it";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Conversation, Message } from "../../core/conversation/conversation.ts";
import { sourcesMarkdown } from "../../core/conversation/sources.ts";
import { escapeHtml } from "../../core/kernel/foreignText.ts";
import { isImageData } from "../../core/kernel/images.ts";
import { exportedParts, formatTime, headingOf } from "../../core/library/history/exportPieces.ts";
import type { TextMask } from "../../core/library/history/exportPieces.ts";
import { highlighter } from "../../core/responses/code/highlighter.js";

/** In UTF-16 units. Longer texts and code are shown without formatting, because that takes too long in one step. */
const longestText = 200_000;
const longestCode = 24_000;

/** Light and dark follow the reader's system, and paper is always light. */
const style = `
:root{color-scheme:light dark;--text:#1f1f1f;--dim:#616161;--line:#d4d4d4;--soft:#f5f5f5;--link:#005fb8;
--keyword:#0000ff;--string:#a31515;--number:#098658;--comment:#008000;--name:#795e26}
@media screen and (prefers-color-scheme:dark){:root{--text:#cccccc;--dim:#9d9d9d;--line:#3c3c3c;--soft:#252526;--link:#4daafc;
--keyword:#569cd6;--string:#ce9178;--number:#b5cea8;--comment:#6a9955;--name:#dcdcaa}body{background:#1e1e1e}}
body{max-width:50rem;margin:2rem auto;padding:0 1rem;color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
article{border-top:1px solid var(--line);padding:.5rem 0}article>h2:first-child{font-size:1rem;color:var(--dim)}article>h1{font-size:1.5rem}
pre{background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:.75rem;overflow:auto;white-space:pre-wrap}
code,pre{font-family:ui-monospace,monospace;font-size:.9em}img{max-width:100%;height:auto}a{color:var(--link)}
table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.25rem .5rem}
blockquote{margin:0;padding-left:1rem;border-left:4px solid var(--line);color:var(--dim)}.note{color:var(--dim);font-style:italic}
.hljs-keyword,.hljs-literal,.hljs-built_in,.hljs-selector-tag,.hljs-tag,.hljs-name{color:var(--keyword)}
.hljs-string,.hljs-regexp,.hljs-addition,.hljs-attr-value{color:var(--string)}.hljs-number,.hljs-type,.hljs-meta{color:var(--number)}
.hljs-comment,.hljs-quote,.hljs-deletion{color:var(--comment)}.hljs-title,.hljs-attr,.hljs-attribute{color:var(--name)}
@media print{article{break-inside:auto}h2{break-after:avoid}pre,img{break-inside:avoid-page}}
`;

/** Nothing in the file runs, and nothing is loaded from anywhere. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "media-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The conversation as it is shown, as a page that is complete in one file. Model output is inert in it. */
export function* htmlPieces(
  conversation: Conversation,
  language: string,
  mask?: TextMask,
): Generator<string> {
  const { head, messages } = exportedParts(conversation, "html", mask);
  yield headOf(head, language);
  for (const message of messages) yield articleOf(message);
  yield "</main>\n</body>\n</html>\n";
}

function headOf({ title, createdAt, settings }: Omit<Conversation, "messages">, language: string): string {
  const prompt = settings?.systemPrompt ?? "";
  const lines = [
    `<!DOCTYPE html>\n<html lang="${escapeHtml(language)}">\n<head>\n<meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">`,
    `<title>${escapeHtml(title)}</title>\n<style>${style}</style>\n</head>\n<body>\n<main>`,
    `<h1>${escapeHtml(title)}</h1>\n<p class="note">${escapeHtml(t("Started on {0}.", formatTime(createdAt)))}</p>`,
    ...(prompt === "" ? [] : [folded(t("System Prompt"), preformatted(prompt))]),
  ];
  return `${lines.join("\n")}\n`;
}

function articleOf(message: Message): string {
  const { role, text, sources, reasoning, toolCalls, attachments, error, status } = message;
  const note = (sentence: string): string => `<p class="note">${escapeHtml(sentence)}</p>`;
  const parts = [
    ...attachments.map(attachmentOf),
    ...(reasoning === "" ? [] : [folded(t("Reasoning"), preformatted(reasoning))]),
    ...(text === ""
      ? []
      : [role === "tool" ? preformatted(text) : formatted(`${text}${sourcesMarkdown(sources)}`)]),
    ...toolCalls.map(({ name, arguments: written }) =>
      folded(t("Tool call: {0}", name), codeOf(written, "json")),
    ),
    ...(status === "stopped" ? [note(t("Stopped."))] : []),
    ...(error === undefined ? [] : [note(error.message)]),
  ];
  return `<article>\n<h2>${escapeHtml(headingOf(message))}</h2>\n${parts.join("\n")}\n</article>\n`;
}

function attachmentOf(part: ContentPart): string {
  const title = part.title ?? "";
  if (part.type === "text") return folded(title === "" ? t("Attachment") : title, preformatted(part.text));
  if (part.type === "audio") {
    const type = part.format === "mp3" ? "mpeg" : "wav";
    return /^[A-Za-z0-9+/]*={0,2}$/.test(part.data)
      ? `<audio controls src="data:audio/${type};base64,${part.data}"></audio>`
      : "";
  }
  const url = `data:${part.mediaType};base64,${part.data}`;
  return isImageData(url)
    ? `<p><img src="${url}" alt="${escapeHtml(title === "" ? t("Image") : title)}"></p>`
    : "";
}

function folded(summary: string, content: string): string {
  return `<details>\n<summary>${escapeHtml(summary)}</summary>\n${content}\n</details>`;
}

function preformatted(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}

/** highlight.js returns escaped text in spans. */
function codeOf(code: string, language: string): string {
  const isKnown = code.length <= longestCode && highlighter.getLanguage(language) !== undefined;
  return `<pre><code>${isKnown ? highlighter.highlight(code, { language, ignoreIllegals: true }).value : escapeHtml(code)}</code></pre>\n`;
}

function formatted(text: string): string {
  return text.length > longestText ? preformatted(text) : markdown.render(text);
}

const markdown = createMarkdown();

/**
 * HTML is shown as text, links lead only to web pages and mail addresses, and images are shown only if they are inline.
 */
function createMarkdown(): ReturnType<typeof createMarkdownIt> {
  const parser = createMarkdownIt({ html: false, linkify: false });
  const { rules } = parser.renderer;
  parser.validateLink = (url) => /^(?:https?:|mailto:|data:image\/)/i.test(url.trim());
  rules.fence = (tokens, index) => {
    const { content = "", info = "" } = tokens[index] ?? {};
    return codeOf(content, info.trim().split(/\s/)[0]?.toLowerCase() ?? "");
  };
  rules.image = (tokens, index) => {
    const { attrs, content = "" } = tokens[index] ?? {};
    const url = String(attrs?.find(([name]) => name === "src")?.[1] ?? "");
    if (isImageData(url)) return `<img src="${url}" alt="${escapeHtml(content)}">`;
    return `<span class="note">${escapeHtml(`${content === "" ? t("Image") : content} (${url})`)}</span>`;
  };
  rules.link_open = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const url = String(token?.attrGet("href") ?? "");
    if (!/^(?:https?:|mailto:)/i.test(url)) return "<span>";
    token?.attrSet("rel", "noopener noreferrer");
    return self.renderToken(tokens, index, options);
  };
  for (const name of ["th_open", "td_open"] as const) {
    rules[name] = (tokens, index) => {
      const align = /text-align:(left|right|center)/.exec(String(tokens[index]?.attrGet("style") ?? ""))?.[1];
      // The policy blocks the attribute that the parser would write.
      return `<${name.slice(0, 2)}${align === undefined ? "" : ` align="${align}"`}>`;
    };
  }
  return parser;
}
