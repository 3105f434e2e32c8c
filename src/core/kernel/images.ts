/** Raster types that a page may show. SVG is a document, not an image, so it is never shown. */
const shown = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Whether the address is a self-contained image that can neither run code nor fetch anything. */
export function isImageData(address: string): boolean {
  return shown.test(address);
}

/** An image that the user requested, or why it can't be loaded. */
export type LoadedImage = { readonly dataUrl: string } | { readonly error: string };
