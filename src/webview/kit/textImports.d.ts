/** A file as a string (see `test/package/pageAssets.js`). */
declare module "text:*" {
  export const text: string;
}
