import { t } from "@vscode/l10n";
import { RawText, comments, yamlText } from "../exchange/codeText.ts";
import { keyPlaceholder, keyVariable } from "../exchange/copyable.ts";
import { escapeInvisible } from "../../kernel/foreignText.ts";
import {
  completionsUrl,
  headerNote,
  hello,
  keyNote,
  networkNotes,
  noKey,
  queryNote,
  unlessEmpty,
  urlWithQuery,
} from "./setupFacts.ts";
import type { Setup, SetupFacts } from "./setupFacts.ts";
import { setupPrograms } from "./setupPrograms.ts";

const checksUrl = "https://www.promptfoo.dev/docs/configuration/expected-outputs/";

/** Clients that are set up by a file. */
const setupFiles = {
  litellm: {
    label: () => "LiteLLM",
    hint: () => "config.yaml",
    language: "yaml",
    replaces: /^os\.environ\//,
    text: (facts) =>
      yamlFile(
        [
          ...keyNote(facts),
          t("Save it as config.yaml and start the proxy: litellm --config config.yaml"),
          ...queryNote(facts),
        ],
        {
          model_list: [
            {
              model_name: facts.model,
              litellm_params: {
                model: `openai/${facts.model}`,
                api_base: facts.baseUrl,
                api_key: facts.needsKey ? `os.environ/${keyVariable}` : noKey,
                extra_headers: unlessEmpty(facts.headers),
              },
            },
          ],
        },
      ),
  },
  continue: {
    label: () => "Continue",
    hint: () => "config.yaml",
    language: "yaml",
    replaces: /\$\{\{/,
    text: (facts) =>
      yamlFile(
        [
          t("Save it as ~/.continue/config.yaml."),
          ...(facts.needsKey
            ? [t("Put your key in ~/.continue/.env: {0}", `${keyVariable}=${keyPlaceholder}`)]
            : []),
          ...queryNote(facts),
        ],
        {
          name: "Inference Gateway",
          version: "1.0.0",
          schema: "v1",
          models: [
            {
              name: `${facts.model} (${facts.profile})`,
              provider: "openai",
              model: facts.model,
              apiBase: facts.baseUrl,
              apiKey: facts.needsKey ? new RawText(`\${{ secrets.${keyVariable} }}`) : noKey,
              roles: ["chat", "edit", "apply"],
              capabilities: [
                ...(facts.supportsTools ? ["tool_use"] : []),
                ...(facts.supportsImages ? ["image_input"] : []),
              ],
              defaultCompletionOptions: {
                contextLength: facts.contextLength,
                maxTokens: facts.maxOutputTokens,
                ...(facts.isStreamed ? {} : { stream: false }),
              },
              requestOptions:
                Object.keys(facts.headers).length === 0 ? undefined : { headers: facts.headers },
            },
          ],
        },
      ),
  },
  cline: {
    label: () => "Cline",
    hint: () => t("The values for its settings"),
    language: "yaml",
    text: (facts) =>
      yamlFile([t("Enter these values in the settings of Cline."), ...queryNote(facts)], {
        "API Provider": "OpenAI Compatible",
        "Base URL": facts.baseUrl,
        "API Key": facts.needsKey ? keyPlaceholder : noKey,
        "Model ID": facts.model,
        "Custom Headers": unlessEmpty(facts.headers),
        "Supports Images": facts.supportsImages,
        "Context Window Size": facts.contextLength,
        "Max Output Tokens": facts.maxOutputTokens,
      }),
  },
  zed: {
    label: () => "Zed",
    hint: () => "settings.json",
    language: "jsonc",
    text: (facts) =>
      jsonFile(
        [
          t("Add it to the settings.json of Zed."),
          ...(facts.needsKey ? [t("Enter the key in Zed's agent settings.")] : []),
          ...queryNote(facts),
          ...headerNote(facts),
        ],
        {
          language_models: {
            openai_compatible: {
              [facts.profile]: {
                api_url: facts.baseUrl,
                available_models: [
                  {
                    name: facts.model,
                    display_name: `${facts.model} (${facts.profile})`,
                    max_tokens: facts.contextLength,
                    max_output_tokens: facts.maxOutputTokens,
                    capabilities: { tools: facts.supportsTools, images: facts.supportsImages },
                  },
                ],
              },
            },
          },
        },
      ),
  },
  customEndpoint: {
    label: () => t("VS Code's Custom Endpoint"),
    hint: () => "chatLanguageModels.json",
    language: "jsonc",
    replaces: /\$\{input:/,
    text: (facts) =>
      jsonFile(
        [
          t("Run “Chat: Manage Language Models”, open chatLanguageModels.json there, and add this group."),
          ...(facts.needsKey
            ? [t("Enter the key there as well: VS Code keeps it in its secret storage.")]
            : []),
        ],
        [
          {
            name: facts.profile,
            vendor: "customendpoint",
            apiType: "chat-completions",
            models: [
              {
                id: facts.model,
                name: facts.model,
                url: completionsUrl(facts),
                toolCalling: facts.supportsTools,
                vision: facts.supportsImages,
                maxInputTokens: Math.max(1, facts.contextLength - facts.maxOutputTokens),
                maxOutputTokens: facts.maxOutputTokens,
                ...(facts.isStreamed ? {} : { streaming: false }),
                requestHeaders: unlessEmpty(facts.headers),
              },
            ],
          },
        ],
      ),
  },
  promptfoo: {
    label: () => "promptfoo",
    hint: () => t("promptfooconfig.yaml with your last message as a test"),
    language: "yaml",
    replaces: /\{[{%#]/,
    text: (facts) =>
      yamlFile(
        [
          ...keyNote(facts),
          t("Save it as promptfooconfig.yaml and run the test: npx promptfoo@latest eval"),
          t("Add checks of the response as described at {0}", checksUrl),
        ],
        {
          // In JSON, a message isn't taken for a list of messages, whatever it contains.
          prompts: ['[{"role": "user", "content": {{ message | dump }}}]'],
          providers: [
            {
              id: `openai:chat:${facts.model}`,
              config: {
                apiBaseUrl: urlWithQuery(facts, ""),
                // Without the variable, `apiKeyEnvar` would send the service the user's key for OpenAI.
                apiKey: facts.needsKey ? `{{ env.${keyVariable} }}` : noKey,
                headers: unlessEmpty(facts.headers),
                omitDefaults: true,
                showThinking: false,
              },
            },
          ],
          tests: [{ vars: { message: asTemplate(facts.lastMessage ?? hello.content) } }],
        },
      ),
  },
} as const satisfies Readonly<Record<string, Setup>>;

/**
 * A template of promptfoo that stands for the text itself. Without a leading tag, promptfoo would replace the URL of a
 * file by its content, and run a package.
 */
function asTemplate(text: string): string {
  const escaped = text.replace(/\{(?=[{%#])|#(?=\})/g, '{{ "$&" }}');
  return /^(?:file:\/\/|package:)/.test(escaped) ? `{{ "" }}${escaped}` : escaped;
}

function yamlFile(notes: readonly string[], value: object): string {
  return `${comments("#", notes)}${yamlText(value).trimStart()}`;
}

function jsonFile(notes: readonly string[], value: unknown): string {
  return `${comments("//", notes)}${escapeInvisible(JSON.stringify(value, null, 2))}\n`;
}

/** Every client that can be set up, in the order in which they are offered. The key is never part of a setup. */
const setups = { ...setupPrograms, ...setupFiles };

/** A client that can be set up to use a profile. */
export type SetupId = keyof typeof setups;

const table: Readonly<Record<SetupId, Setup>> = setups;

interface SetupChoice {
  readonly id: SetupId;
  readonly label: string;
  readonly hint: string;
}

/** The clients in the order in which they are offered. */
export function setupChoices(): readonly SetupChoice[] {
  return (Object.keys(setups) as SetupId[]).map((id) => ({
    id,
    label: table[id].label(),
    hint: table[id].hint(),
  }));
}

/** The setup of a client, or a sentence that explains why there is none. */
export function setupText(
  id: SetupId,
  facts: SetupFacts,
): { readonly text: string; readonly language: string } | { readonly problem: string } {
  const { replaces, language, label, text } = table[id];
  const foreign = [facts.profile, facts.model, facts.baseUrl, ...Object.entries(facts.headers).flat()];
  const replaced = replaces === undefined ? undefined : foreign.find((part) => replaces.test(part));
  if (replaced !== undefined)
    return {
      problem: t("“{0}” contains text that {1} would replace. Rename it first.", replaced, label()),
    };
  const mark = language === "jsonc" || language === "javascript" ? "//" : "#";
  return { text: `${comments(mark, networkNotes(facts))}${text(facts)}`, language };
}
