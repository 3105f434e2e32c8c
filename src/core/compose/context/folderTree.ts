/** An entry of a folder; the children of a folder that was not read are absent. */
export interface TreeEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly children?: readonly TreeEntry[];
}

/** The entries as indented lines, folders first, each marked by a slash at its end. */
export function formatTree(entries: readonly TreeEntry[], indent = ""): string {
  return entries
    .toSorted((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1))
    .map(({ name, isFolder, children }) => {
      const line = `${indent}${name}${isFolder ? "/" : ""}`;
      if (!isFolder) return line;
      if (children === undefined) return `${line} …`;
      return children.length === 0 ? line : `${line}\n${formatTree(children, `${indent}  `)}`;
    })
    .join("\n");
}
