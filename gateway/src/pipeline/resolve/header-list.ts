/** Headers that may not be forwarded: they would open cloud metadata services; behaviour-providers-hosts 11.7. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  'metadata-flavor',
  'x-aws-ec2-metadata-token',
  'x-google-metadata-request',
  'x-gw-forward-headers',
]);
/** Names in one list: bounds the work a header can ask for. */
const MAX_NAMES = 64;

/** Reads `a, b`, `["a","b"]` and `['a','b']`: lower-case names. */
export function parseHeaderList(text: string): readonly string[] {
  return text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(',')
    .slice(0, MAX_NAMES)
    .map((name) =>
      name
        .trim()
        .replace(/^["']|["']$/g, '')
        .toLowerCase(),
    )
    .filter((name) => name !== '');
}

/** The names of a list whose values may go to a provider. Our own headers never do. */
export function forwardable(names: readonly string[]): readonly string[] {
  return names.filter((name) => !NEVER_FORWARDED.has(name) && !name.startsWith('x-gw-'));
}
