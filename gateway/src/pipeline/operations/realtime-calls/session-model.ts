/** The model of a session, which calls name in several places: what is checked is what is sent. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import { numbersIn, type ToldNumbers, writeJson } from '../../../lib/json/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { isTranscription, type ModelPath, TRANSCRIPTION_MODEL } from '../../../wire/openai/index.ts';
import type { RequestBody } from '../../exchange.ts';

/** Where a session of transcriptions has its model, from the body. */
const OF_TRANSCRIPTION: ModelPath = ['session', ...TRANSCRIPTION_MODEL];
const MODEL = 'model';
const SESSION = 'session';
const OF_SESSION = 'session.model';
const OF_QUERY = 'model of the query';

/** The JSON body of a call without a form or an offer. Throws CONTENT_TYPE_INVALID for another one. */
export function jsonOf(body: RequestBody, call: string): JsonObject {
  if (body.kind === 'none') return {};
  if (body.kind === 'json') return body.value;
  throw new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: `Invalid content type passed; ${call} takes application/json`,
  });
}

/** The client's own bytes where they are what is said, else its numbers as it wrote them. */
export function toJsonBody(value: JsonObject, given: RequestBody, numbers?: ToldNumbers): RequestBody {
  if (given.kind !== 'json') return { kind: 'json', bytes: writeJson(value, numbers), value };
  return given.value === value ? given : { kind: 'json', bytes: writeJson(value, numbersIn(given.bytes)), value };
}

/**
 * The parameters with the model in their own `model`, and in no other place but that of transcriptions, which the provider's
 * request writes. `at`: where the body has one of those, whatever its session is. Throws PARAMETER_INVALID where two are named, or one is no text.
 */
export function withOneModel(params: JsonObject, query: string, at?: ModelPath): JsonObject {
  const { [MODEL]: own, [SESSION]: session, ...rest } = params;
  if (session !== undefined && !isObject(session)) throw invalid(SESSION, 'session must be an object');
  const { [MODEL]: ofSession, ...others } = session ?? {};
  const inQuery = new URLSearchParams(query).getAll(MODEL).filter((model) => model !== '');
  if (inQuery.some((model) => model !== inQuery[0])) throw invalid(MODEL, 'The query names two models: name one');
  const places: [string, unknown][] = [
    [MODEL, own],
    [OF_SESSION, ofSession],
    ...modelAt(params, at ?? (isTranscription(session) ? OF_TRANSCRIPTION : [])),
    [OF_QUERY, inQuery[0]],
  ];
  const model = oneOf(places);
  if (model === own && ofSession === undefined) return params;
  return {
    ...(model === undefined ? {} : { [MODEL]: model }),
    ...(session === undefined ? {} : { [SESSION]: others }),
    ...rest,
  };
}

/** The parameters, whose session translates or has no type: what opens other sessions has a path of its own. Throws PARAMETER_INVALID. */
export function ofTranslation(params: JsonObject): JsonObject {
  const { [SESSION]: session } = params;
  const type = isObject(session) ? session['type'] : undefined;
  if (type === undefined || type === 'translation') return params;
  throw invalid('session.type', 'session.type of a translation must be translation, or left out');
}

/** Nothing where a member of the path is absent. Throws PARAMETER_INVALID where one on the way is no object. */
function modelAt(params: JsonObject, path: ModelPath): readonly [string, unknown][] {
  let value: unknown = params;
  for (const [i, name] of path.entries()) {
    if (value === undefined || value === null) return [];
    const place = path.slice(0, i).join('.');
    if (!isObject(value)) throw invalid(place, `${place} must be an object`);
    value = value[name];
  }
  return path.length === 0 ? [] : [[path.join('.'), value]];
}

function oneOf(places: readonly (readonly [place: string, model: unknown])[]): string | undefined {
  let found: { readonly place: string; readonly model: string } | undefined;
  for (const [place, model] of places) {
    if (model === undefined || model === null || model === '') continue;
    if (typeof model !== 'string') throw invalid(place, `${place} must be a text`);
    if (found !== undefined && found.model !== model) {
      throw invalid(MODEL, `The call names two models, in ${found.place} and in ${place}: name one`);
    }
    found ??= { place, model };
  }
  return found?.model;
}

const invalid = (param: string, detail: string): AppError => new AppError('PARAMETER_INVALID', { param, detail });
