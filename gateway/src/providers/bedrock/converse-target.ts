/** Facts of a call, beside its parameters, that a Converse or invoke body depends on. */

import type { Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import { scalarText } from '../../lib/scalar-text.ts';
import type { ConverseTarget } from '../../wire/bedrock/index.ts';
import { textAt } from '../../wire/json/json.ts';
import type { AuthorizerContext, Call, JsonObject } from '../contract.ts';
import { andThen, type Deferred } from '../engine/index.ts';
import { type ModelFacts, resolveModel } from './model.ts';
import { fetchRemoteMedia } from './remote-media.ts';

/** Bedrock refuses these with 400. */
const UNSUPPORTED_BETAS: ReadonlySet<string> = new Set(['prompt-caching-scope-2026-01-05']);

/** Feature flags of the target, the header or the body; undefined when there is none. */
export function betasOf(call: Call): readonly string[] | undefined {
  const { fields, params } = call;
  const own: unknown = fields.text('anthropic_beta') ?? call.header('anthropic-beta') ?? params['anthropic_beta'];
  const list: readonly unknown[] = Array.isArray(own) ? own : scalarText(own).split(',');
  const betas = list
    .map((item) => scalarText(item).trim())
    .filter((item) => item !== '' && !UNSUPPORTED_BETAS.has(item));
  return betas.length === 0 ? undefined : betas;
}

/** The version of the target or the body, when it is one of Bedrock: clients of the vendor's own API always send theirs. */
export function versionOf({ fields, params }: Call): string | undefined {
  const version = fields.text('anthropic_version') ?? textAt(params, 'anthropic_version');
  return version?.startsWith('bedrock-') ? version : undefined;
}

type Write = (target: ConverseTarget, model: ModelFacts) => Result<JsonObject, AppError>;

/** Writes a body after the model was looked up and its files were fetched. */
export function writeBody(
  call: Call,
  context: AuthorizerContext,
  remoteUrls: (model: ModelFacts) => readonly string[],
  write: Write,
): Deferred<Result<JsonObject, AppError>> {
  return andThen(resolveModel(call, context), (model) => {
    const target = {
      model: model.foundation ?? model.id,
      family: model.family,
      anthropicBeta: betasOf(call),
      anthropicVersion: versionOf(call),
    };
    const urls = remoteUrls(model);
    if (urls.length === 0) return write(target, model);
    return andThen(fetchRemoteMedia(urls, context), (remote) =>
      remote.ok ? write({ ...target, remote: remote.value }, model) : remote,
    );
  });
}
