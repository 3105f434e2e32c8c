/** A file as a string (see esbuild.text.js). */
declare module "text:*" {
  export const text: string;
}
