/** The model behind the id of a call. */

import { createHash } from 'node:crypto';
import { cancelAfter } from '../../lib/cancellation.ts';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { type Family, familyOf, readModelId } from '../../wire/bedrock/index.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { parseJsonObject } from '../../wire/openai/index.ts';
import { authorizedFetch } from '../clouds/aws/index.ts';
import type { AuthorizerContext, Call } from '../contract.ts';
import { type Deferred, pathSegment, requireModel } from '../engine/index.ts';
import { bedrockAuth } from './auth.ts';
import { controlPlaneUrl } from './hosts.ts';

export interface ModelFacts {
  /** The id as it goes into URLs, decoded. */
  readonly id: string;
  /** The foundation model; undefined when it has to be looked up. */
  readonly foundation: string | undefined;
  /** `other` when it is not known. */
  readonly family: Family;
  /** The inference profile whose foundation model has to be looked up. */
  readonly profile: string | undefined;
}

/** A profile's model rarely changes; an unreadable profile may become readable soon. Units: ms. */
const FOUND_TTL_MS = 16 * 60 * 60 * 1000;
const NOT_FOUND_TTL_MS = 60_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** A look-up is shared by all waiting calls, so it has its own timeout. */
const LOOKUP_TIMEOUT_MS = 3_000;

/** The model as derived from the id, or from the target's field where the id is opaque. */
export function modelFromId(call: Call): ModelFacts {
  const { id, foundation, profile } = readModelId(requireModel(call));
  const known = foundation ?? call.fields.text('aws_bedrock_model');
  return { id, foundation: known, family: familyOf(known), profile: known === undefined ? profile : undefined };
}

/** The family of the model of a call; undefined where it has to be looked up. */
export function knownFamily(call: Call): Family | undefined {
  const { foundation, family } = modelFromId(call);
  return foundation === undefined ? undefined : family;
}

/** The same, with inference profiles looked up at the service. An unreadable profile has no known family. */
export function resolveModel(call: Call, context: AuthorizerContext): Deferred<ModelFacts> {
  const known = modelFromId(call);
  return known.profile === undefined ? known : lookUp(known, known.profile, call, context);
}

/** `/model/ID/ACTION` with the id as one segment. */
export function modelPath(id: string, action: string): string {
  return `/model/${pathSegment(id, 'model')}/${action}`;
}

async function lookUp(known: ModelFacts, profile: string, call: Call, context: AuthorizerContext): Promise<ModelFacts> {
  const url = `${controlPlaneUrl(call)}/inference-profiles/${percentEncoded(profile)}`;
  const foundation = await context.services.cached(`bedrock:${digestOf(url, call)}`, async () => {
    const value = await askForFoundation(url, call, context);
    return { value, ttlMs: value === undefined ? NOT_FOUND_TTL_MS : FOUND_TTL_MS };
  });
  return { ...known, foundation, family: familyOf(foundation) };
}

async function askForFoundation(url: string, call: Call, context: AuthorizerContext): Promise<string | undefined> {
  const side = { method: 'GET', url, maxBytes: MAX_ANSWER_BYTES } as const;
  const own = { services: context.services, signal: cancelAfter(LOOKUP_TIMEOUT_MS) };
  // Many accounts may call the runtime only; without an answer, chat still works through Converse.
  const answer = await authorizedFetch(bedrockAuth, side, call, own).catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  const [model] = objectsAt(parseJsonObject(answer.body.toString('utf8')), 'models');
  return textAt(model, 'modelArn')?.split('/').at(-1);
}

/** The credential is part of the key: accounts have different rights. */
function digestOf(url: string, { fields }: Call): string {
  const identity = ['aws_access_key_id', 'api_key'].map((key) => fields.secret(key)?.reveal());
  const role = ['aws_auth_type', 'aws_role_arn'].map((key) => fields.text(key));
  return createHash('sha256')
    .update(JSON.stringify([url, identity, role]))
    .digest('hex');
}
