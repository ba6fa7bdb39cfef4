/** `gw_options`: headers of the gateway that every row of a batch gets. Nothing that is kept with a batch is a secret. */
import { isObject } from '@gatehouse/crds';
import { invalid } from './answers.ts';

/** What a header may say; undefined: anything. */
type Rule = ((value: string) => string | undefined) | undefined;

const slug = (what: string) => (value: string) =>
  /^[\w.-]{1,253}$/.test(value) ? undefined : `must be ${what}; nothing else can be kept with a batch`;

const ALLOWED: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'x-gw-provider',
    (value) =>
      /^@[\w.-]{1,253}(?:\/.{1,253})?$/.test(value)
        ? undefined
        : 'is @SLUG, an account of the workspace: credentials of callers are not kept with a batch',
  ],
  ['x-gw-virtual-key', (value) => slug('the slug of a virtual key')(value.replace(/^@/, ''))],
  ['x-gw-config', slug('the slug of a saved config')],
  ['x-gw-metadata', (value) => (isJsonObject(value) ? undefined : 'must be a JSON object')],
  ['x-gw-cache-namespace', undefined],
  ['x-gw-cache-force-refresh', undefined],
  ['x-gw-request-timeout', (value) => (/^[1-9]\d{0,8}$/.test(value) ? undefined : 'must be a number of milliseconds')],
  ['x-gw-strict-open-ai-compliance', undefined],
  ['x-gw-trace-id', undefined],
]);

const MAX_VALUE = 16_384;
/** Of a header: no control characters, Latin 1 at most. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** By lower-case name. Throws PARAMETER_INVALID. */
export function readGwOptions(given: unknown): Readonly<Record<string, string>> {
  if (given === undefined || given === null) return {};
  if (!isObject(given)) throw invalid('gw_options', 'must be an object of headers');
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    const header = name.toLowerCase();
    if (header in headers) throw invalid(`gw_options.${header}`, 'is there more than once');
    headers[header] = readHeader(header, value);
  }
  return headers;
}

function readHeader(header: string, value: unknown): string {
  const param = `gw_options.${header.slice(0, 64)}`;
  if (!ALLOWED.has(header)) throw invalid(param, `is no header for rows; those are ${[...ALLOWED.keys()].join(', ')}`);
  const text = header === 'x-gw-metadata' && isObject(value) ? JSON.stringify(value) : value;
  if (typeof text !== 'string' || text === '' || text.length > MAX_VALUE || !HEADER_VALUE.test(text)) {
    throw invalid(param, `must be a text of 1 to ${MAX_VALUE} characters, as headers may have them`);
  }
  const problem = ALLOWED.get(header)?.(text);
  if (problem !== undefined) throw invalid(param, problem);
  return text;
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
