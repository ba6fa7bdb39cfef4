/** Metadata of a request after defaults. */
import { isObject } from '@gatehouse/crds';
import { HEADER_JSON_LIMITS, readJson } from '../lib/json/index.ts';
import type { Caller, ClientRequest } from './exchange.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** Most members of a `baggage` header that are read. */
const MAX_BAGGAGE = 64;

const NO_METADATA: Metadata = Object.freeze(Object.create(null));

/** Later ones win: baggage, the request's own metadata, defaults of the key, defaults of the workspace, the key's user. */
export function metadataOf(request: ClientRequest, { key, workspace }: Caller): Metadata {
  const baggage = request.header('baggage');
  const given = request.header('x-gw-metadata');
  const ofKey = key.defaults.metadata;
  const ofWorkspace = workspace.defaults.metadata;
  if ((baggage ?? given ?? ofKey ?? ofWorkspace ?? key.user) === undefined) return NO_METADATA;
  const user = key.user === undefined ? undefined : { _user: key.user };
  const own = [ofKey, ofWorkspace, user];
  return Object.assign(
    Object.create(null),
    ...own, // first for the order alone: records keep the first members, and these are not the client's
    parseBaggage(baggage),
    parseMetadata(given),
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
