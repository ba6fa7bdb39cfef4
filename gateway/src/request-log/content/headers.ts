/** Headers as documents show them: credentials are masked, those of the gateway stand apart. */
import { parseHeaderList } from '../../lib/header-list.ts';
import type { HeaderNames, RequestFacts } from '../../record/index.ts';
import { isMasked, maskValue } from '../../telemetry/index.ts';
import { maskConfig, withoutCredentials } from './mask-config.ts';
import { quoted } from './quoted.ts';

/** Of a request, as objects of JSON. */
export interface RequestHeaders {
  readonly own: string;
  readonly gateway: string;
}

/** Changes the value of a header before it is shown. */
export type Clean = (value: string) => string;

const GATEWAY = /^x[_-]gw[_-]/;
/** They hold a whole config. */
const CONFIGS: ReadonlySet<string> = new Set(['x-gw-config', 'x-gw-default-config']);
/** They name headers. */
const LISTS: ReadonlySet<string> = new Set(['x-gw-forward-headers', 'x-gw-sensitive-headers']);
/** They hold a URL. */
const HOSTS: ReadonlySet<string> = new Set(['x-gw-custom-host']);
/** Longer values are not kept, in characters. A part of one might be a part of a secret. */
const MAX_VALUE = 4_096;
const TOO_LONG = '[too long]';

/** `more`: names that are masked beside those of credentials. */
export function requestHeaders(request: RequestFacts, more: HeaderNames): RequestHeaders {
  let own = '';
  let gateway = '';
  for (const [name, value] of request.headers()) {
    if (GATEWAY.test(name)) gateway += member(gateway, name, gatewayValue(name, value, more));
    else own += member(own, name, quoted(bounded(maskedValue(name, value, more))));
  }
  return { own: `{${own}}`, gateway: `{${gateway}}` };
}

/** As JSON. */
function gatewayValue(name: string, value: string, more: HeaderNames): string {
  if (more.has(name)) return quoted(maskValue(value));
  if (CONFIGS.has(name)) return JSON.stringify(maskConfig(value));
  if (value.length > MAX_VALUE) return quoted(TOO_LONG);
  if (LISTS.has(name)) return JSON.stringify(parseHeaderList(value));
  return quoted(HOSTS.has(name) ? withoutCredentials(value) : maskedValue(name, value, more));
}

/** `more`: those of the deployment. */
export function namesToMask(request: RequestFacts, more: HeaderNames): HeaderNames {
  const asked = request.sensitiveHeaders();
  return { has: (name) => more.has(name) || asked.has(name) };
}

/** As an object of JSON. Headers with several values have them joined. `clean` gets masked values. */
export function shownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  more: HeaderNames,
  clean: Clean,
): string {
  let shown = '';
  for (const [given, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const name = given.toLowerCase();
    const text = maskedValue(name, typeof value === 'string' ? value : value.join(', '), more);
    shown += member(shown, name, quoted(clean(bounded(text))));
  }
  return `{${shown}}`;
}

const member = (before: string, name: string, json: string): string =>
  `${before === '' ? '' : ','}${quoted(name)}:${json}`;

const maskedValue = (name: string, value: string, more: HeaderNames): string =>
  isMasked(name, more) ? maskValue(value) : value;

const bounded = (value: string): string => (value.length > MAX_VALUE ? TOO_LONG : value);
