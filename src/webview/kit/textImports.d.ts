/** A file as a string (see esbuild.js). */
declare module "text:*" {
  export const text: string;
}
