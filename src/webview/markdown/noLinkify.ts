/** Takes the place of `linkify-it` in the page's bundle: bare addresses stay text, and markdown-it only makes one of these. */
export class LinkifyIt {}
