/** A VS Code theme: its name for files, its title in the list of themes, and the class that the window gets. */
export interface PictureTheme {
  readonly name: string;
  readonly title: string;
  readonly className: string;
}

export const pictureThemes: readonly PictureTheme[] = [
  { name: "light", title: "Light Modern", className: "vs" },
  { name: "dark", title: "Dark Modern", className: "vs-dark" },
  { name: "contrast-light", title: "Light High Contrast", className: "hc-light" },
  { name: "contrast-dark", title: "Dark High Contrast", className: "hc-black" },
];
