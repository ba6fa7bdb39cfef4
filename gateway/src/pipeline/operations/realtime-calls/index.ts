/**
 * The realtime API where its sessions do not pass the gateway: calls over WebRTC and telephone calls, and the secrets that open
 * sessions elsewhere; docs/behaviour/realtime.md#calls-over-webrtc.
 */
import { AppError } from '../../../errors/index.ts';
import { routePattern } from '../../../lib/route-pattern.ts';
import type { RealtimeCallId } from '../../../providers/contract.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { type ModelPath, OLDER_TRANSCRIPTION_MODEL } from '../../../wire/openai/index.ts';
import type { OperationHandler } from '../handler.ts';
import { COMPLETIONS, type Operation } from '../operation.ts';
import { resourceOperation } from '../resource.ts';
import { typedHandler } from '../typed/index.ts';
import { readOffer } from './offer.ts';
import { withOwnPlaces } from './own-places.ts';
import { jsonOf, ofTranslation, toJsonBody, withOneModel } from './session-model.ts';

const REALTIME = '/v1/realtime';
const CALLS = `${REALTIME}/calls`;
const CALL = `${CALLS}/:call_id`;
const JSON_OR_NOTHING = ['none', 'json'] as const;

const OPENING = {
  scopes: COMPLETIONS,
  cacheable: false,
  errors: 'openai',
  streamFormat: 'events',
  opensElsewhere: true,
} as const;

const handlerOf = (id: RealtimeCallId, model: 'body' | undefined): OperationHandler =>
  withOwnPlaces({
    ...typedHandler(id, { model: 'body' }),
    readsStream: false,
    modelAt: () => model && { kind: model },
  });

const ofCall = (
  id: Parameters<typeof resourceOperation>[0],
  row: Parameters<typeof resourceOperation>[1],
): Operation => {
  const operation = resourceOperation(id, row);
  return { ...operation, handler: withOwnPlaces(operation.handler) };
};

/** `checked`: throws for a session that is not one of these calls. */
const offerOperation = (
  id: RealtimeCallId,
  path: string,
  checked: (params: JsonObject) => JsonObject = (params) => params,
): Operation => ({
  ...OPENING,
  id,
  routes: [{ method: 'POST', path }],
  bodies: ['json', 'form', 'binary'],
  takesSecret: true,
  readAs: async (body, { query, json }) => {
    const { params, numbers } = await readOffer(body, json);
    return toJsonBody(withOneModel(checked(params), query), body, numbers);
  },
  handler: handlerOf(id, 'body'),
});

/** Its model is that of the session, whose settings are the body. */
const acceptRealtimeCall: Operation = {
  ...OPENING,
  id: 'acceptRealtimeCall',
  routes: [{ method: 'POST', path: `${CALL}/accept` }],
  bodies: JSON_OR_NOTHING,
  keptByProvider: true,
  readAs: (body, { query }) => toJsonBody(withOneModel(jsonOf(body, `POST ${CALLS}/{call_id}/accept`), query), body),
  handler: handlerOf('acceptRealtimeCall', 'body'),
};

interface SecretOptions {
  readonly modelAt?: ModelPath;
  readonly checked?: (params: JsonObject) => JsonObject;
}

/**
 * Whoever has the secret of its answer opens sessions at the provider itself, with settings of its own: which model it runs is not known.
 * Source: OpenAI API reference, client secrets.
 */
const secretOperation = (id: RealtimeCallId, path: string, { modelAt, checked }: SecretOptions = {}): Operation => ({
  ...OPENING,
  id,
  routes: [{ method: 'POST', path }],
  bodies: JSON_OR_NOTHING,
  answersSecret: true,
  readAs: (body, { query }) => {
    const params = jsonOf(body, `POST ${path}`);
    return toJsonBody(withOneModel(checked?.(params) ?? params, query, modelAt), body);
  },
  handler: handlerOf(id, undefined),
});

/** Their paths take one method: what is called with another is no call to proxy. Undefined for other paths. `rest`: below `/v1/`. */
export function refuseOtherMethod(rest: string): AppError | undefined {
  if (!PATHS.some((path) => path.test(`/v1/${rest}`))) return undefined;
  return new AppError('METHOD_NOT_ALLOWED', { detail: 'This path is called with POST', allow: ['POST', 'OPTIONS'] });
}

/** By their ids. */
export const REALTIME_CALLS = {
  createRealtimeCall: offerOperation('createRealtimeCall', CALLS),
  acceptRealtimeCall,
  rejectRealtimeCall: ofCall('rejectRealtimeCall', {
    route: { method: 'POST', path: `${CALL}/reject` },
    bodies: JSON_OR_NOTHING,
  }),
  referRealtimeCall: ofCall('referRealtimeCall', {
    route: { method: 'POST', path: `${CALL}/refer` },
    bodies: ['json'],
  }),
  hangupRealtimeCall: ofCall('hangupRealtimeCall', {
    route: { method: 'POST', path: `${CALL}/hangup` },
  }),
  createRealtimeSecret: secretOperation('createRealtimeSecret', `${REALTIME}/client_secrets`),
  createRealtimeSession: secretOperation('createRealtimeSession', `${REALTIME}/sessions`),
  createTranscriptionSession: secretOperation('createTranscriptionSession', `${REALTIME}/transcription_sessions`, {
    modelAt: OLDER_TRANSCRIPTION_MODEL,
  }),
  createRealtimeTranslationCall: offerOperation(
    'createRealtimeTranslationCall',
    `${REALTIME}/translations/calls`,
    ofTranslation,
  ),
  createRealtimeTranslationSecret: secretOperation(
    'createRealtimeTranslationSecret',
    `${REALTIME}/translations/client_secrets`,
    { checked: ofTranslation },
  ),
} as const satisfies Record<RealtimeCallId, Operation>;

const PATHS = Object.values(REALTIME_CALLS).flatMap(({ routes }) => routes.map(({ path }) => routePattern(path)));
