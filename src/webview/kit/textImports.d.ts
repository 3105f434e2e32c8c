/** A file as a string (see `build/pageAssets.js`). */
declare module "text:*" {
  export const text: string;
}
