/** Metadata of a request after defaults. */
import { isObject } from '@gatehouse/crds';
import { HEADER_JSON_LIMITS, readJson } from '../lib/json/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** Most members of a `baggage` header that are read. */
const MAX_BAGGAGE = 64;

/** Later ones win: baggage, the request's own metadata, defaults of the key, defaults of the workspace, the key's user. */
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

/** A value that is not a JSON object, or has a member twice, is dropped. */
export function parseMetadata(text: string | undefined): Metadata {
  if (text === undefined) return {};
  try {
    const value: unknown = readJson(text, HEADER_JSON_LIMITS, { repeated: false });
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** W3C Baggage: properties after `;` are dropped, values are percent-decoded where that works. */
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
