/** One of our files, built as a script of its own (see `esbuild.js`). */
declare module "text:*" {
  export const text: string;
}
