/** Changes to a body of the messages API for Vertex AI. */
import { isObject } from '@gatehouse/crds';
import { withoutUnsignedThoughts } from '../../wire/anthropic/index.ts';
import type { Call, JsonObject } from '../contract.ts';
import { modelOf, readModel } from './model.ts';

const DEFAULT_VERSION = 'vertex-2023-10-16';
/** Versions of the publisher's own API, which its SDKs put into every request, are refused here. */
const VERSION_PREFIX = 'vertex-';

/** Beta flags that the publisher's clients send and Vertex AI refuses. */
const REFUSED_BETAS: ReadonlySet<string> = new Set(['prompt-caching-scope-2026-01-05']);

/** Whether a call is for a model with a native messages API. */
export function isClaude(call: Call): boolean {
  const { family, name } = readModel(call.model);
  return family === 'anthropic' && name.includes('claude');
}

/** The body of `rawPredict`: the model is in the path, betas are in a header, the version is in the body. */
export function toRawPredict(body: JsonObject, call: Call): JsonObject {
  const { model: _, anthropic_beta: __, anthropic_version, ...rest } = withoutUnsignedThoughts(body);
  const versions = [call.fields.text('anthropic_version'), anthropic_version];
  const version = versions.find((text) => typeof text === 'string' && text.startsWith(VERSION_PREFIX));
  return { ...rest, anthropic_version: version ?? DEFAULT_VERSION };
}

/** The body of `count-tokens:rawPredict`, which names its model. */
export const toCountTokens = (body: JsonObject, call: Call): JsonObject => ({
  ...toRawPredict(body, call),
  model: modelOf(call).name,
});

/** The `anthropic-beta` header of a call for Claude: the target's, the client's or the body's. */
export function betaHeader(call: Call): string | undefined {
  if (!isClaude(call)) return undefined;
  const given = call.fields.text('anthropic_beta') ?? call.header('anthropic-beta') ?? betasOf(call.params);
  const betas = (given ?? '').split(',').map((beta) => beta.trim());
  const accepted = betas.filter((beta) => beta !== '' && !REFUSED_BETAS.has(beta));
  return accepted.length === 0 ? undefined : accepted.join(',');
}

function betasOf(params: JsonObject): string | undefined {
  const betas = isObject(params) ? params['anthropic_beta'] : undefined;
  if (Array.isArray(betas)) return betas.filter((beta) => typeof beta === 'string').join(',');
  return typeof betas === 'string' ? betas : undefined;
}
