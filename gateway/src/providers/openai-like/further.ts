/** What upstreams of the OpenAI format offer beside texts, vectors and responses. */
import type { Endpoint, EndpointId, RequestTable } from '../contract.ts';
import { type EndpointRow, tableOf } from './endpoints.ts';

type Clamp = NonNullable<RequestTable['clamp']>;

/** An endpoint with a JSON body, as OpenAI has it. */
interface JsonForm {
  readonly path: string;
  readonly clamp: Clamp;
  /** `account`: the upstream has a model of its own for calls that name none. */
  readonly model?: 'account';
  readonly answer: Endpoint['answer'];
  readonly stream?: Endpoint['stream'];
}

/** Source: OpenAI API reference. */
const JSON_FORMS = {
  moderate: { path: '/moderations', clamp: {}, model: 'account', answer: { kind: 'tag' } },
  imageGenerate: {
    path: '/images/generations',
    clamp: { n: { min: 1, max: 10 }, output_compression: { min: 0, max: 100 }, partial_images: { min: 0, max: 3 } },
    model: 'account',
    answer: { kind: 'tag' },
    stream: { kind: 'relay' },
  },
  createSpeech: { path: '/audio/speech', clamp: {}, answer: { kind: 'binary' } },
} as const satisfies Partial<Record<EndpointId, JsonForm>>;

type FurtherId = keyof typeof JSON_FORMS;

/** Differences from OpenAI's own by endpoint; `{}`: none. */
export type FurtherRows = Readonly<Partial<Record<FurtherId, EndpointRow>>>;

/** The endpoints of the rows. `prefix`: of the usual paths. */
export function furtherEndpoints<Id extends FurtherId>(
  rows: Readonly<Partial<Record<Id, EndpointRow>>>,
  prefix = '',
): Readonly<Record<Id, Endpoint>> {
  const ids = Object.keys(rows) as Id[]; // keys of a record by Id
  const made = ids.map((id) => [id, jsonEndpoint(JSON_FORMS[id], rows[id] ?? {}, prefix)] as const);
  return Object.fromEntries(made) as Record<Id, Endpoint>; // one for each
}

function jsonEndpoint(form: JsonForm, row: EndpointRow, prefix: string): Endpoint {
  const { path, clamp, model, answer, stream } = form;
  const own = model === undefined ? row : { model, ...row };
  return {
    method: 'POST',
    path: row.path ?? prefix + path,
    request: { kind: 'table', table: tableOf(own, [], clamp) },
    answer: row.answer ?? answer,
    ...(stream === undefined ? {} : { stream }),
  };
}
