import { err, isObject, ok, type Result } from '@gatehouse/crds';
import { boundAnswer, MAX_ANSWER_CHARACTERS, RequestTooLarge } from './answer-size.ts';
import type { InsideAnswer } from './call-inside.ts';
import { type Controls, createAttempts, NO_CONTROLS, readHeaderControls, readModelControls } from './controls/index.ts';
import { Exchange } from './exchange.ts';
import { type JsonObject, readString } from './json.ts';
import { parseMultipart } from './multipart.ts';
import { type Outgoing, toOutgoing } from './outgoing.ts';
import type { ReceivedRequest } from './recorder.ts';
import { type Reply, refuse } from './reply.ts';
import { createRouter, type RouteMatch } from './router.ts';

const MAX_MODEL_CHARACTERS = 256;
/** Of the answers to all rows of a batch: as much as is stored of files. */
const MAX_INSIDE_CHARACTERS = 64 * 1024 * 1024;

export interface Prepared {
  readonly outgoing: Outgoing;
  readonly controls: Controls;
}

/** Turns a complete request into a complete response. Its state (what clients store, attempts) lasts as long as the function. */
export function createResponder(): (request: ReceivedRequest) => Prepared {
  const router = createRouter(callInside);
  const attempts = createAttempts();
  let insideLeft = 0;
  return (request) => {
    insideLeft = MAX_INSIDE_CHARACTERS;
    return respond(request, MAX_ANSWER_CHARACTERS).value;
  };

  function callInside(path: string, body: JsonObject): InsideAnswer {
    const { value, made } = respond(toInsideRequest(path, body), Math.min(MAX_ANSWER_CHARACTERS, insideLeft));
    insideLeft -= made;
    return toInsideAnswer(value);
  }

  function respond(request: ReceivedRequest, characters: number) {
    const match = router.find(request);
    return boundAnswer(characters, (): Prepared => {
      try {
        return prepare(match, request);
      } catch (error) {
        const refusal = error instanceof RequestTooLarge ? refuse(400, error.message) : FAILED;
        const exchange = new Exchange(request, match.params, NO_CONTROLS);
        return { outgoing: toOutgoing(refusal, exchange, match.route.dialect), controls: NO_CONTROLS };
      }
    });
  }

  function prepare(match: RouteMatch, request: ReceivedRequest): Prepared {
    const call = bind(match, request);
    const read = readControls(request, call.model);
    const controls = read.ok ? attempts.apply(read.value) : NO_CONTROLS;
    const exchange = new Exchange(request, match.params, controls);
    const reply = read.ok ? answer(exchange, call) : refuse(400, read.error);
    return { outgoing: toOutgoing(reply, exchange, match.route.dialect), controls };
  }
}

/** A request that the mock cannot handle must not look like a requested fault. */
const FAILED = refuse(500, 'The mock provider failed');

function toInsideRequest(path: string, given: JsonObject): ReceivedRequest {
  const body = Buffer.from(JSON.stringify(given));
  return { method: 'POST', path, search: '', headers: {}, bodyBytes: body.length, body };
}

function toInsideAnswer({ outgoing: { status, headers, bursts } }: Prepared): InsideAnswer {
  const text = bursts.join('');
  const requestId = String(headers['x-request-id'] ?? '');
  try {
    return { status, requestId, body: JSON.parse(text) };
  } catch {
    return { status, requestId, body: text };
  }
}

/** A handler with its input already read. */
interface Call {
  readonly model: string | undefined;
  readonly run: (exchange: Exchange) => Reply;
}

function bind({ route, params }: RouteMatch, request: ReceivedRequest): Call {
  if (request.body.length < request.bodyBytes) return refuseCall(413, 'the body is too large for the mock');
  if (isTooLong(new URLSearchParams(request.search).get('model'))) return LONG_MODEL;
  switch (route.input) {
    case 'none':
      return { model: undefined, run: route.handle };
    case 'json': {
      const body = parseObject(request.body);
      if (!body.ok) return refuseCall(400, body.error);
      const model = route.model === 'path' ? params[0] : readString(body.value, 'model');
      if ([readString(body.value, 'model'), ...params].some(isTooLong)) return LONG_MODEL;
      return { model, run: (exchange) => route.handle(exchange, body.value) };
    }
    case 'form': {
      const form = parseMultipart(request.headers['content-type'] ?? '', request.body);
      if (!form.ok) return refuseCall(400, form.error);
      if ([form.value.fields.get('model'), ...params].some(isTooLong)) return LONG_MODEL;
      return { model: form.value.fields.get('model'), run: (exchange) => route.handle(exchange, form.value) };
    }
  }
}

const isTooLong = (name: string | null | undefined): boolean => (name?.length ?? 0) > MAX_MODEL_CHARACTERS;

/** A model stands in each event of a stream. */
const LONG_MODEL: Call = {
  model: undefined,
  run: () => refuse(400, `model must have at most ${MAX_MODEL_CHARACTERS} characters`, { param: 'model' }),
};

function refuseCall(status: number, message: string): Call {
  return { model: undefined, run: () => refuse(status, message) };
}

function parseObject(body: Buffer): Result<JsonObject, string> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? ok(value) : err('the body must be a JSON object');
  } catch {
    return err('the body is not JSON');
  }
}

/** A header wins over the same control in the model name. */
function readControls(request: ReceivedRequest, model: string | undefined): Result<Controls, string> {
  const fromHeaders = readHeaderControls(request.headers);
  if (!fromHeaders.ok || model === undefined) return fromHeaders;
  const fromModel = readModelControls(model);
  if (!fromModel.ok || fromHeaders.value === NO_CONTROLS) return fromModel;
  return ok({ ...fromModel.value, ...fromHeaders.value });
}

function answer(exchange: Exchange, call: Call): Reply {
  const { requireAuth, status = 200 } = exchange.controls;
  if (requireAuth !== undefined && !hasCredential(exchange.request, requireAuth)) {
    return refuse(401, 'the credential is missing or not the one that x-mock-require-auth names');
  }
  return status >= 400 ? refuse(status, `Mock error ${status}`) : call.run(exchange);
}

/** Whether one of the headers or parameters that providers read has exactly this key. */
function hasCredential({ headers, search }: ReceivedRequest, expected: string): boolean {
  const bearer = /^bearer\s+(.*)$/i.exec(headers.authorization ?? '')?.[1];
  const accessKey = /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\//.exec(headers.authorization ?? '')?.[1];
  const given = [bearer, accessKey, headers['x-api-key'], headers['api-key'], headers['x-goog-api-key']];
  return given.includes(expected) || new URLSearchParams(search).get('key') === expected;
}
