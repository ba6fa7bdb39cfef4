/** The credential of the vendor and the headers that depend on it. */

import { API_KEY } from '@gatehouse/crds/providers';
import { scalarText } from '../../lib/scalar-text.ts';
import { textAt } from '../../wire/json/json.ts';
import type { Authorizer, Call } from '../contract.ts';
import { fieldMissing } from '../engine/index.ts';

const DEFAULT_VERSION = '2023-06-01';
/** Tokens of the vendor's own applications; they need a feature flag and another header than keys. */
const OAUTH_PREFIX = 'sk-ant-oat';
const OAUTH_BETA = 'oauth-2025-04-20';
/** Gateway keys never go upstream, even where clients can only send them in the vendor's header. */
const GATEWAY_KEY_PREFIX = 'gwk_';

/** `x-api-key`, or a bearer token when the credential is one; the client's own `x-api-key` when the target has none. */
export const anthropicAuth: Authorizer = {
  summary: 'x-api-key: {api_key}',
  apply(request, call, { customHost }) {
    const { headers } = request;
    const key = call.fields.secret(API_KEY)?.reveal() ?? clientKey(call);
    if (headers['x-api-key']?.startsWith(GATEWAY_KEY_PREFIX)) delete headers['x-api-key'];
    if (key === undefined) {
      const forwarded = headers['x-api-key'] ?? headers['authorization'];
      if (!customHost && forwarded === undefined) throw fieldMissing(call.provider, API_KEY);
    } else if (key.startsWith(OAUTH_PREFIX)) {
      delete headers['x-api-key'];
      headers['authorization'] = `Bearer ${key}`;
      headers['anthropic-beta'] = withFlag(headers['anthropic-beta'], OAUTH_BETA);
    } else {
      headers['x-api-key'] = key;
    }
  },
};

function clientKey(call: Call): string | undefined {
  const key = call.header('x-api-key');
  return key?.startsWith(GATEWAY_KEY_PREFIX) ? undefined : key;
}

function withFlag(flags: string | undefined, flag: string): string {
  if (flags === undefined) return flag;
  return flags.split(',').some((item) => item.trim() === flag) ? flags : `${flags},${flag}`;
}

/** The API version: target, header, body, default. */
export function anthropicVersion(call: Call): string {
  return setting(call, 'version') ?? DEFAULT_VERSION;
}

/** Of the calls for files. Source: Anthropic API, "Files". */
const FILES_BETA = 'files-api-2025-04-14';
/** Calls that reach files; a batch may be created of one. */
const OF_FILES: ReadonlySet<Call['endpoint']> = new Set<Call['endpoint']>([
  ...(['createFile', 'listFiles', 'getFile', 'getFileContent', 'deleteFile', 'createBatch'] as const),
]);

/** The feature flags, from the same places, and those that a call needs. */
export function anthropicBeta(call: Call): string | undefined {
  const { anthropic_beta: list } = call.params;
  const flags = setting(call, 'beta') ?? (Array.isArray(list) ? joined(list) : undefined);
  return OF_FILES.has(call.endpoint) ? withFlag(flags, FILES_BETA) : flags;
}

const joined = (list: readonly unknown[]): string | undefined => {
  const flags = list.map(scalarText).filter((flag) => flag !== '');
  return flags.length === 0 ? undefined : flags.join(',');
};

function setting(call: Call, name: 'version' | 'beta'): string | undefined {
  const key = `anthropic_${name}`;
  return call.fields.text(key) ?? call.header(`anthropic-${name}`) ?? textAt(call.params, key);
}
