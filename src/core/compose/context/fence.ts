/** The text as a Markdown code block; its fence is longer than any run of backticks inside. */
export function fenced(text: string, tag: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${tag}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`;
}

const tagsByName: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  makefile: "makefile",
  gemfile: "ruby",
  rakefile: "ruby",
  jenkinsfile: "groovy",
};

/** The tag of a code block for this file: its extension, which every reader of Markdown knows, else its language. */
export function fenceTag(path: string, languageId = ""): string {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  const extension = /.\.([a-z0-9+#_-]{1,12})$/.exec(name)?.[1];
  const known = Object.hasOwn(tagsByName, name) ? tagsByName[name] : undefined;
  return known ?? extension ?? (/^[a-z0-9+#_-]{1,24}$/.test(languageId) ? languageId : "");
}
