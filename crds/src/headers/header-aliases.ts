/** Prefixes by which an installation accepts the gateway's own headers, beside `x-gw-`. */

/** One word between dashes, e.g. `x-acme-`. */
export const HEADER_ALIAS = /^x-[a-z0-9]+-$/;

/** Longest prefix in characters, and most prefixes of a gateway. */
export const MAX_HEADER_ALIAS = 64;
export const MAX_HEADER_ALIASES = 8;

/** Prefixes of headers that others define, `x-api-key` and the gateway's own included: renamed, they would lose their meaning. */
export const TAKEN_PREFIXES: readonly string[] = [
  'x-amz-',
  'x-api-',
  'x-forwarded-',
  'x-goog-',
  'x-gw-',
  'x-mock-',
  'x-ms-',
];

/** Whether a text may be a prefix for the gateway's own headers. */
export const isHeaderAlias = (text: string): boolean =>
  text.length <= MAX_HEADER_ALIAS && HEADER_ALIAS.test(text) && !TAKEN_PREFIXES.includes(text);
