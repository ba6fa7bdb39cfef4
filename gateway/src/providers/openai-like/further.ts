/** What upstreams of the OpenAI format offer beside texts, vectors and responses. */
import type { Endpoint, EndpointId, FormTable, RequestTable } from '../contract.ts';
import { type EndpointRow, tableOf } from './endpoints.ts';

type Clamp = NonNullable<RequestTable['clamp']>;

/** An endpoint with a JSON body, as OpenAI has it. */
interface JsonEndpoint {
  readonly path: string;
  readonly clamp: Clamp;
  /** `account`: the upstream has a model of its own for calls that name none. */
  readonly model?: 'account';
  readonly answer: Endpoint['answer'];
  readonly stream?: Endpoint['stream'];
}

/** Source: OpenAI API reference. */
const JSON_ENDPOINTS = {
  moderate: { path: '/moderations', clamp: {}, model: 'account', answer: { kind: 'tag' } },
  imageGenerate: {
    path: '/images/generations',
    clamp: { n: { min: 1, max: 10 }, output_compression: { min: 0, max: 100 }, partial_images: { min: 0, max: 3 } },
    model: 'account',
    answer: { kind: 'tag' },
    stream: { kind: 'relay' },
  },
  createSpeech: { path: '/audio/speech', clamp: {}, answer: { kind: 'binary' } },
} as const satisfies Partial<Record<EndpointId, JsonEndpoint>>;

/** An endpoint with a form. */
interface FormEndpoint {
  readonly path: string;
  /** See `JsonEndpoint`. */
  readonly model?: 'account';
}

/** Endpoints with a form. Answers are JSON, text or events, as a field of the form says, and pass as they come. */
const FORM_ENDPOINTS = {
  imageEdit: { path: '/images/edits', model: 'account' },
  imageVariation: { path: '/images/variations', model: 'account' },
  createTranscription: { path: '/audio/transcriptions' },
  createTranslation: { path: '/audio/translations' },
} as const satisfies Partial<Record<EndpointId, FormEndpoint>>;

type JsonId = keyof typeof JSON_ENDPOINTS;
type FormId = keyof typeof FORM_ENDPOINTS;

/** Differences from OpenAI's own. */
export interface FormRow {
  readonly path?: Endpoint['path'];
  /** `account`: as in `EndpointRow`. */
  readonly model?: 'account';
  readonly form?: FormTable;
}

/** Differences by endpoint; `{}`: none. */
export type FurtherRows = { readonly [Id in JsonId]?: EndpointRow } & { readonly [Id in FormId]?: FormRow };

/** The endpoints of the rows. `prefix`: of the usual paths. */
export function furtherEndpoints<Rows extends FurtherRows>(
  rows: Rows,
  prefix = '',
): Readonly<Record<keyof Rows & EndpointId, Endpoint>> {
  const made = Object.entries(rows).map(([id, row]) => [id, endpointOf(id, row, prefix)]);
  return Object.fromEntries(made); // one for each
}

function endpointOf(id: string, row: EndpointRow & FormRow, prefix: string): Endpoint {
  if (isForm(id)) return formEndpoint(row, FORM_ENDPOINTS[id], prefix);
  const { path, clamp, model, answer, stream }: JsonEndpoint = JSON_ENDPOINTS[id as JsonId]; // the others are forms
  const own = model === undefined ? row : { model, ...row };
  return {
    method: 'POST',
    path: row.path ?? prefix + path,
    request: { kind: 'table', table: tableOf(own, [], clamp) },
    answer: row.answer ?? answer,
    ...(stream === undefined ? {} : { stream }),
  };
}

function formEndpoint({ path, model, form = {} }: FormRow, usual: FormEndpoint, prefix: string): Endpoint {
  const isOfAccount = (model ?? usual.model) === 'account';
  return {
    method: 'POST',
    path: path ?? prefix + usual.path,
    request: { kind: 'form', table: isOfAccount ? form : { ...form, needsModel: true } },
    answer: { kind: 'binary' },
  };
}

const isForm = (id: string): id is FormId => Object.hasOwn(FORM_ENDPOINTS, id);
