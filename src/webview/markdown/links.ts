const allowed = /^(?:https?:\/\/|mailto:)[^\s\\]/i;

/** Whether a link target may become an `href`: an allow-list, everything else is shown as text. */
export function isAllowedLink(href: string): boolean {
  return allowed.test(href);
}
