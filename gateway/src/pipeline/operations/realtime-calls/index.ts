/**
 * The realtime API where its sessions do not pass the gateway: calls over WebRTC and telephone calls, and the secrets that open
 * sessions elsewhere; docs/behaviour/realtime.md#calls-over-webrtc.
 */
import type { RealtimeCallId } from '../../../providers/contract.ts';
import { type ModelPath, OLDER_TRANSCRIPTION_MODEL } from '../../../wire/openai/index.ts';
import type { ClientAnswer, OperationHandler } from '../handler.ts';
import { COMPLETIONS, type Operation } from '../operation.ts';
import { resourceOperation } from '../resource.ts';
import { typedHandler } from '../typed/index.ts';
import { readOffer } from './offer.ts';
import { jsonOf, toJsonBody, withOneModel } from './session-model.ts';

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

const handlerOf = (id: RealtimeCallId, model: 'body' | undefined): OperationHandler => ({
  ...typedHandler(id, { model: 'body' }),
  readsStream: false,
  modelAt: () => model && { kind: model },
});

const offering = handlerOf('createRealtimeCall', 'body');

const createRealtimeCall: Operation = {
  ...OPENING,
  id: 'createRealtimeCall',
  routes: [{ method: 'POST', path: CALLS }],
  bodies: ['json', 'form', 'binary'],
  takesSecret: true,
  readAs: async (body, { query, json }) => toJsonBody(withOneModel(await readOffer(body, json), query)),
  handler: { ...offering, mapAnswer: (...answered) => withOwnLocation(offering.mapAnswer(...answered)) },
};

/** Its model is that of the session, whose settings are the body. */
const acceptRealtimeCall: Operation = {
  ...OPENING,
  id: 'acceptRealtimeCall',
  routes: [{ method: 'POST', path: `${CALL}/accept` }],
  bodies: JSON_OR_NOTHING,
  keptByProvider: true,
  readAs: (body) => toJsonBody(jsonOf(body, `POST ${CALLS}/{call_id}/accept`)),
  handler: handlerOf('acceptRealtimeCall', 'body'),
};

/**
 * Whoever has the secret of its answer opens sessions at the provider itself, with settings of its own: which model it runs is not known.
 * Source: OpenAI API reference, client secrets.
 */
const secretOperation = (id: RealtimeCallId, path: string, modelAt?: ModelPath): Operation => ({
  ...OPENING,
  id,
  routes: [{ method: 'POST', path }],
  bodies: JSON_OR_NOTHING,
  answersSecret: true,
  readAs: (body, { query }) => toJsonBody(withOneModel(jsonOf(body, `POST ${path}`), query, modelAt)),
  handler: handlerOf(id, undefined),
});

/** By their ids. */
export const REALTIME_CALLS = {
  createRealtimeCall,
  acceptRealtimeCall,
  rejectRealtimeCall: resourceOperation('rejectRealtimeCall', {
    route: { method: 'POST', path: `${CALL}/reject` },
    bodies: JSON_OR_NOTHING,
  }),
  referRealtimeCall: resourceOperation('referRealtimeCall', {
    route: { method: 'POST', path: `${CALL}/refer` },
    bodies: ['json'],
  }),
  hangupRealtimeCall: resourceOperation('hangupRealtimeCall', {
    route: { method: 'POST', path: `${CALL}/hangup` },
  }),
  createRealtimeSecret: secretOperation('createRealtimeSecret', `${REALTIME}/client_secrets`),
  createRealtimeSession: secretOperation('createRealtimeSession', `${REALTIME}/sessions`),
  createTranscriptionSession: secretOperation(
    'createTranscriptionSession',
    `${REALTIME}/transcription_sessions`,
    OLDER_TRANSCRIPTION_MODEL,
  ),
} as const satisfies Record<RealtimeCallId, Operation>;

const LAST_SEGMENT = /\/([\w-]{1,256})\/?(?:\?.*)?$/;

/** Where the call is: at a path of the gateway, whatever that of the provider is. */
function withOwnLocation(answer: ClientAnswer): ClientAnswer {
  const { location, ...headers } = answer.headers;
  const id = typeof location === 'string' ? LAST_SEGMENT.exec(location)?.[1] : undefined;
  return id === undefined ? { ...answer, headers } : { ...answer, headers: { ...headers, location: `${CALLS}/${id}` } };
}
