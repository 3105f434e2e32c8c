import { t } from "@vscode/l10n";
import { RawText, call, comments, literal, yamlText } from "../exchange/codeText.ts";
import { shellWord } from "../../kernel/shellWord.ts";
import { requestCode } from "../exchange/copyCode.ts";
import { keyPlaceholder, keyVariable } from "../exchange/copyable.ts";
import { redactionMark } from "../../account/redaction.ts";
import { completionsUrl, headerNote, hello, keyNote, noKey, queryNote, unlessEmpty } from "./setupFacts.ts";
import type { Setup, SetupFacts } from "./setupFacts.ts";

/** Clients that are set up by a program or by commands. */
export const setupPrograms = {
  curl: {
    label: () => "curl",
    hint: () => t("A command for the terminal"),
    language: "shellscript",
    text: (facts) =>
      requestCode(
        {
          method: "POST",
          url: completionsUrl(facts),
          headers: {
            "content-type": "application/json",
            ...facts.headers,
            ...(facts.needsKey ? { authorization: `Bearer ${redactionMark}` } : {}),
          },
          body: JSON.stringify({ model: facts.model, messages: [hello], stream: facts.isStreamed }),
        },
        "curl",
      ),
  },
  pythonOpenai: {
    label: () => "Python (openai)",
    hint: () => t("A program that prints a response"),
    language: "python",
    text: (facts) => {
      const created = call("python", "client.chat.completions.create", {
        model: facts.model,
        messages: [hello],
        ...(facts.isStreamed ? { stream: true } : {}),
      });
      return [
        comments("#", ["pip install openai", ...keyNote(facts)]),
        ...["import os\n", "\n", "from openai import OpenAI\n", "\n"],
        `client = ${call("python", "OpenAI", pythonClient(facts))}\n\n`,
        ...(facts.isStreamed
          ? [
              `stream = ${created}\n`,
              "for chunk in stream:\n",
              "    if chunk.choices:\n",
              '        print(chunk.choices[0].delta.content or "", end="", flush=True)\n',
              "print()\n",
            ]
          : [`response = ${created}\n`, "print(response.choices[0].message.content)\n"]),
      ].join("");
    },
  },
  javascriptOpenai: {
    label: () => "JavaScript (openai)",
    hint: () => t("A program that prints a response"),
    language: "javascript",
    text: (facts) => {
      const request = {
        model: facts.model,
        messages: [hello],
        ...(facts.isStreamed ? { stream: true } : {}),
      };
      const created = `await ${call("javascript", "client.chat.completions.create", request)}`;
      return [
        comments("//", ["npm install openai", ...keyNote(facts)]),
        'import OpenAI from "openai";\n\n',
        `const client = new ${call("javascript", "OpenAI", {
          baseURL: facts.baseUrl,
          apiKey: environmentKey("javascript", facts),
          defaultHeaders: unlessEmpty(facts.headers),
          defaultQuery: unlessEmpty(Object.fromEntries(facts.query)),
        })};\n\n`,
        ...(facts.isStreamed
          ? [
              `const stream = ${created};\n`,
              'for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");\n',
              'process.stdout.write("\\n");\n',
            ]
          : [`const response = ${created};\n`, "console.log(response.choices[0].message.content);\n"]),
      ].join("");
    },
  },
  javascriptAi: {
    label: () => "JavaScript (ai)",
    hint: () => t("A program that prints a response"),
    language: "javascript",
    text: (facts) => {
      const args = {
        model: new RawText(`provider(${literal("javascript", facts.model)})`),
        prompt: hello.content,
      };
      const generate = facts.isStreamed ? "streamText" : "generateText";
      return [
        comments("//", ["npm install ai @ai-sdk/openai-compatible", ...keyNote(facts)]),
        'import { createOpenAICompatible } from "@ai-sdk/openai-compatible";\n',
        `import { ${generate} } from "ai";\n\n`,
        `const provider = ${call("javascript", "createOpenAICompatible", {
          name: "inference",
          baseURL: facts.baseUrl,
          apiKey: environmentKey("javascript", facts),
          headers: unlessEmpty(facts.headers),
          queryParams: unlessEmpty(Object.fromEntries(facts.query)),
        })};\n\n`,
        ...(facts.isStreamed
          ? [
              `const { textStream } = ${call("javascript", generate, args)};\n`,
              "for await (const text of textStream) process.stdout.write(text);\n",
              'process.stdout.write("\\n");\n',
            ]
          : [`const { text } = await ${call("javascript", generate, args)};\n`, "console.log(text);\n"]),
      ].join("");
    },
  },
  langchain: {
    label: () => "LangChain",
    hint: () => t("A program that prints a response"),
    language: "python",
    text: (facts) =>
      [
        comments("#", ["pip install langchain-openai", ...keyNote(facts)]),
        ...["import os\n", "\n", "from langchain_openai import ChatOpenAI\n", "\n"],
        `model = ${call("python", "ChatOpenAI", { model: facts.model, ...pythonClient(facts) })}\n\n`,
        ...(facts.isStreamed
          ? [
              `for chunk in model.stream(${literal("python", hello.content)}):\n`,
              '    print(chunk.content, end="", flush=True)\n',
              "print()\n",
            ]
          : [`print(model.invoke(${literal("python", hello.content)}).content)\n`]),
      ].join(""),
  },
  aider: {
    label: () => "aider",
    hint: () => t("Commands for the terminal"),
    language: "shellscript",
    text: (facts) =>
      [
        comments("#", [...keyNote(facts), ...queryNote(facts)]),
        `export OPENAI_API_BASE=${shellWord(facts.baseUrl)}\n`,
        `export OPENAI_API_KEY=${shellKey(facts)}\n`,
        ...aiderHeaders(facts),
        `aider --model ${shellWord(`openai/${facts.model}`)}\n`,
      ].join(""),
  },
  environment: {
    label: () => t("Environment Variables"),
    hint: () => t("For programs that use the OpenAI API"),
    language: "shellscript",
    text: (facts) =>
      [
        comments("#", [...keyNote(facts), ...queryNote(facts), ...headerNote(facts)]),
        `export OPENAI_BASE_URL=${shellWord(facts.baseUrl)}\n`,
        `export OPENAI_API_KEY=${shellKey(facts)}\n`,
        `export OPENAI_MODEL=${shellWord(facts.model)}\n`,
      ].join(""),
  },
} as const satisfies Readonly<Record<string, Setup>>;

function environmentKey(language: "python" | "javascript", { needsKey }: SetupFacts): RawText | string {
  if (!needsKey) return noKey;
  const name = literal(language, keyVariable);
  if (language === "python") return new RawText(`os.environ[${name}]`);
  // Without a key, the client would send the one in OPENAI_API_KEY, which belongs to another service.
  return new RawText(`process.env[${name}] ?? ${literal(language, keyPlaceholder)}`);
}

function shellKey({ needsKey }: SetupFacts): string {
  return needsKey ? `"\${${keyVariable}:-${keyPlaceholder}}"` : noKey;
}

function pythonClient(facts: SetupFacts): Readonly<Record<string, unknown>> {
  return {
    base_url: facts.baseUrl,
    api_key: environmentKey("python", facts),
    default_headers: unlessEmpty(facts.headers),
    default_query: unlessEmpty(Object.fromEntries(facts.query)),
  };
}

/** The headers are in a file, which aider finds in the current folder. */
function aiderHeaders({ headers, model }: SetupFacts): readonly string[] {
  if (Object.keys(headers).length === 0) return [];
  const settings = yamlText([{ name: `openai/${model}`, extra_params: { extra_headers: headers } }]);
  return [comments("#", [t("Add this to .aider.model.settings.yml:"), ...settings.trim().split("\n")])];
}
