/** Metadata of a request after defaults; behaviour-lifecycle 1.6 rules 3 and 7. */
import { isObject } from '@gatehouse/crds';
import { HEADER_JSON_LIMITS, readJson } from '../lib/json/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** Baggage members that are read: the header is the client's. */
const MAX_BAGGAGE = 64;

/** Baggage under the request's own metadata, under the key's defaults, under the workspace's. */
export function metadataOf(request: ClientRequest, { key, workspace }: Caller): Metadata {
  const user = key.user === undefined ? undefined : { _user: key.user };
  const own = [key.defaults.metadata, workspace.defaults.metadata, user];
  return Object.assign(
    Object.create(null),
    ...own, // first for the order alone: records keep the first members, and these are not the client's
    parseBaggage(request.header('baggage')),
    parseMetadata(request.header('x-gw-metadata')),
    ...own,
  );
}

/** A value that is not a JSON object, or has a member twice, is dropped, as the reference does. */
export function parseMetadata(text: string | undefined): Metadata {
  if (text === undefined) return {};
  try {
    const value: unknown = readJson(text, HEADER_JSON_LIMITS, { repeated: false });
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** W3C baggage: properties after `;` are dropped, values are percent-decoded where that works. */
export function parseBaggage(text: string | undefined): Metadata {
  const out: Record<string, string> = Object.create(null);
  for (const member of text?.split(',').slice(0, MAX_BAGGAGE) ?? []) {
    const [pair = ''] = member.split(';');
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(at, 0)).trim();
    if (key !== '') out[key] = decode(pair.slice(at + 1).trim());
  }
  return out;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
