/** Headers as documents show them: credentials are masked, those of the gateway stand apart. */
import { parseHeaderList } from '../../lib/header-list.ts';
import type { RequestFacts } from '../../record/index.ts';
import { maskHeaders } from '../../telemetry/index.ts';
import { maskConfig, withoutCredentials } from './mask-config.ts';

export type ShownHeaders = Readonly<Record<string, string>>;

export interface RequestHeaders {
  readonly own: ShownHeaders;
  readonly gateway: Readonly<Record<string, unknown>>;
}

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

/** `more`: names, lower case, that the deployment masks beside those of the organisation and the request. */
export function requestHeaders(request: RequestFacts, more: ReadonlySet<string>): RequestHeaders {
  const own: (readonly [string, string])[] = [];
  const gateway: (readonly [string, string])[] = [];
  for (const header of request.headers()) (GATEWAY.test(header[0]) ? gateway : own).push(header);
  const shown: Record<string, unknown> = maskHeaders(gateway, more);
  for (const [name, value] of gateway) if (!more.has(name)) shown[name] = shownValue(name, value, shown[name]);
  return { own: bounded(maskHeaders(own, more)), gateway: shown };
}

/** `masked`: the value as a header of any kind. */
function shownValue(name: string, value: string, masked: unknown): unknown {
  if (CONFIGS.has(name)) return maskConfig(value);
  if (value.length > MAX_VALUE) return TOO_LONG;
  if (LISTS.has(name)) return parseHeaderList(value);
  return HOSTS.has(name) ? withoutCredentials(value) : masked;
}

export const namesToMask = (request: RequestFacts, more: readonly string[]): ReadonlySet<string> =>
  new Set([...more, ...request.sensitiveHeaders()]);

/** Headers with several values have them joined. */
export function shownHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  more: ReadonlySet<string>,
): ShownHeaders {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat.push([name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]);
  }
  return bounded(maskHeaders(flat, more));
}

function bounded(headers: Record<string, string>): ShownHeaders {
  for (const name in headers) if ((headers[name]?.length ?? 0) > MAX_VALUE) headers[name] = TOO_LONG;
  return headers;
}
