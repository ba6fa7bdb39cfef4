/** The realtime API where its sessions do not pass the gateway. Source: OpenAI API reference, realtime calls and client secrets. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import {
  isTranscription,
  OLDER_TRANSCRIPTION_MODEL,
  TRANSCRIPTION_MODEL,
  withModelAt,
} from '../../wire/openai/index.ts';
import type { BodyHook, Call, Endpoint, RealtimeCallId, RequestRule } from '../contract.ts';

/** Path and query; `below` begins with a slash and is below the realtime API. */
export type RealtimeCallPath = (call: Call, below: string) => string;

export interface RealtimeCallOptions {
  /** The model that calls name; default: that of the client. Empty: none. */
  modelOf?(call: Call): string;
  /** Calls that the upstream does not offer at all. */
  readonly supports?: Endpoint['supports'];
}

type CallsId = Extract<RealtimeCallId, `${string}RealtimeCall`>;

const shared = ({ supports }: RealtimeCallOptions) =>
  ({ answer: { kind: 'relay' }, ...(supports === undefined ? {} : { supports }) }) as const;
const withHooks = (...hooks: readonly BodyHook[]): RequestRule => ({
  ...{ kind: 'table', table: { hooks }, keepsNumbers: true },
});
const plainModel = (call: Call): string => call.model;

/** Calls over WebRTC and telephone calls. */
export function realtimeCallEndpoints(
  path: RealtimeCallPath,
  options: RealtimeCallOptions = {},
): Readonly<Record<CallsId, Endpoint>> {
  const { modelOf = plainModel } = options;
  const ofCall = (step: string, request: RequestRule): Endpoint => ({
    method: 'POST',
    path: (call) => path(call, `/calls/${callId(call)}/${step}`),
    request,
    ...shared(options),
  });
  const table = withHooks();
  return {
    createRealtimeCall: {
      method: 'POST',
      path: (call) => path(call, '/calls'),
      request: { kind: 'offer', hooks: [modelInSession(modelOf)] },
      ...shared(options),
    },
    acceptRealtimeCall: ofCall('accept', withHooks(modelAtTop(modelOf))),
    rejectRealtimeCall: ofCall('reject', table),
    referRealtimeCall: ofCall('refer', table),
    hangupRealtimeCall: ofCall('hangup', { kind: 'none' }),
  };
}

/** Secrets that open sessions. */
export const realtimeSecretEndpoint = (
  path: RealtimeCallPath,
  options: RealtimeCallOptions = {},
): Readonly<Record<'createRealtimeSecret', Endpoint>> => ({
  createRealtimeSecret: {
    method: 'POST',
    path: (call) => path(call, '/client_secrets'),
    request: withHooks(modelInSession(options.modelOf ?? plainModel)),
    ...shared(options),
  },
});

/** The older way to such a secret: with a session of its own. */
export function realtimeSessionEndpoint(path: Endpoint['path'], options: RealtimeCallOptions = {}): Endpoint {
  const request = withHooks(modelAtTop(options.modelOf ?? plainModel));
  return { method: 'POST', path, request, ...shared(options) };
}

/** The same of transcriptions, which have no model beside that of them. */
export function transcriptionSessionEndpoint(path: Endpoint['path']): Endpoint {
  const hook: BodyHook = (params, { model }) => {
    if (model === '') return params;
    const { model: _, ...session } = params;
    return withModelAt(session, OLDER_TRANSCRIPTION_MODEL, model);
  };
  return { method: 'POST', path, request: withHooks(hook), ...shared({}) };
}

/** Calls and secrets for sessions that translate, which have no type in requests. Source: OpenAI API reference and guide, realtime translation. */
export function translationCallEndpoints(
  path: RealtimeCallPath,
): Readonly<Record<'createRealtimeTranslationCall' | 'createRealtimeTranslationSecret', Endpoint>> {
  const hook = modelInSession(plainModel, {});
  const below =
    (step: string): Endpoint['path'] =>
    (call) =>
      path(call, `/translations/${step}`);
  return {
    createRealtimeTranslationCall: {
      ...{ method: 'POST', path: below('calls'), request: { kind: 'offer', hooks: [hook] } },
      ...shared({}),
    },
    createRealtimeTranslationSecret: {
      ...{ method: 'POST', path: below('client_secrets'), request: withHooks(hook) },
      ...shared({}),
    },
  };
}

/** The usual places. */
export const realtimeCallsBelow =
  (prefix: string): RealtimeCallPath =>
  (_call, below) =>
    `${prefix}/realtime${below}`;

const CALL_ID = /^[\w-]{1,256}$/;

/** Throws PARAMETER_INVALID for what could lead elsewhere. */
function callId({ route }: Call): string {
  const id = route['call_id'] ?? '';
  if (CALL_ID.test(id)) return id;
  throw new AppError('PARAMETER_INVALID', {
    param: 'call_id',
    detail: 'call_id may have letters, digits, underscores and dashes, 256 at most',
  });
}

/** Throws PARAMETER_INVALID. */
function sessionWith(session: unknown, model: string, type: JsonObject): JsonObject {
  if (isTranscription(session)) return withModelAt(session, TRANSCRIPTION_MODEL, model);
  if (session === undefined || isObject(session)) return { ...type, ...session, model };
  throw new AppError('PARAMETER_INVALID', { param: 'session', detail: 'session must be an object' });
}

/** The model where the API has it. Throws PARAMETER_INVALID. */
const modelInSession =
  (modelOf: (call: Call) => string, type: JsonObject = { type: 'realtime' }): BodyHook =>
  (params, call) => {
    const { model: named, session, ...rest } = params;
    const model = isTranscription(session) ? call.model : modelOf(call);
    if (model !== '') return { ...rest, session: sessionWith(session, model, type) };
    if (named === undefined) return params;
    return session === undefined ? rest : { ...rest, session };
  };

const modelAtTop =
  (modelOf: (call: Call) => string): BodyHook =>
  (params, call) => {
    const model = modelOf(call);
    return model === '' || params['model'] === model ? params : { ...params, model };
  };
