/** Whether the text is an http or https URL of a host alone or with a path: without user, query and fragment. */
export function isHttpAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '';
}

/** What is said of another one. */
export const HTTP_ADDRESS = 'http:// or https:// and a host, without user, query and fragment';
