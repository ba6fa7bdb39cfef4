/**
 * A client that is made of the contract and of the document that the API serves about itself: it sends nothing that the contract does
 * not know, and accepts no answer that the document does not describe.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import { type ContractCall, type DirectoryCall, fieldsOutside, isDirectoryCall } from './contract.ts';

/** Of ours alone. */
export const OWN_CALLS = [
  'POST /admin/users/invites/accept',
  'GET /logs',
  'GET /scim/token',
  'POST /scim/token',
  'DELETE /scim/token',
] as const;
type OwnCall = (typeof OWN_CALLS)[number];

export type Call = ContractCall | DirectoryCall | OwnCall;

const isOwn = (call: Call): call is OwnCall => OWN_CALLS.some((own) => own === call);

export interface Sent {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body?: object | string;
}

export interface CallOptions extends Sent {
  /** Default: that of the client; null: none. */
  readonly key?: string | null;
  /** Default: 200. */
  readonly status?: number;
  /** What is sent is well-formed, although a success is not to be had in every world. */
  readonly isSample?: true;
}

/** The fields of answers that tests read; the document says which answer has which. */
export interface AnswerFields {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly key: string;
  readonly token: string;
  readonly keys: readonly unknown[];
  readonly total: number;
  readonly data: readonly AnswerFields[];
  readonly workspaces: readonly AnswerFields[];
  readonly models: readonly AnswerFields[];
  readonly invite_link: string;
  readonly inviteLink: string;
  readonly feedback_ids: readonly string[];
  readonly signed_url: string;
  readonly status: unknown;
}

export interface Answered {
  readonly status: number;
  readonly body: AnswerFields;
  readonly text: string;
}

export interface ApiClient {
  /** Fails for another status, a request outside of the contract and an answer that is not described. */
  call(call: Call, options?: CallOptions): Promise<Answered>;
  /** As `call`, with whatever is sent and whatever status comes back. */
  attempt(call: Call, options?: CallOptions): Promise<Answered>;
  /** The statuses that each call had. */
  readonly seen: ReadonlyMap<Call, ReadonlySet<number>>;
  /** What was sent with the last success of a call. */
  readonly good: ReadonlyMap<Call, Sent>;
}

interface Described {
  /** By status. */
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
/** By media type. */
type Content = Readonly<Record<string, { readonly schema: object }>>;
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface ApiAddress {
  /** Before `/v1`. */
  readonly url: string;
  readonly key: string;
  /** Default: the one of Node. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export async function createApiClient({ url, key: own, fetch: send = fetch }: ApiAddress): Promise<ApiClient> {
  const described = await send(`${url}/v1/openapi.json`, { headers: { 'x-gw-api-key': own } });
  const document = (await described.json()) as ApiDocument;
  const answers = createAnswerCheck(document);
  const seen = new Map<Call, Set<number>>();
  const good = new Map<Call, Sent>();

  const attempt: ApiClient['attempt'] = async (call, { path = {}, query = {}, body, key = own } = {}) => {
    const [method = '', template = ''] = call.split(' ');
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name));
    const parameters = new URLSearchParams(query).toString();
    const response = await send(`${url}/v1${filled}${parameters === '' ? '' : `?${parameters}`}`, {
      method,
      headers: headersOf(call, key, body),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    seen.set(call, (seen.get(call) ?? new Set()).add(status));
    if (text !== '') expect(headers.get('content-type'), call).toMatch(mediaOf(call));
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    expect(answers(call, status, parsed), `${call}: ${status} ${text.slice(0, 2_000)}`).toEqual([]);
    return { status, body: parsed as AnswerFields, text }; // described, see above
  };
  return {
    seen,
    good,
    attempt,
    call: async (call, options = {}) => {
      const { path, query, body, status = 200, isSample = false } = options;
      if (!isOwn(call) && !isDirectoryCall(call)) {
        expect(fieldsOutside(call, 'query', query), `${call}: query`).toEqual([]);
        expect(fieldsOutside(call, 'body', body), `${call}: body`).toEqual([]);
      }
      const answer = await attempt(call, options);
      expect(answer.status, `${call}: ${answer.text.slice(0, 2_000)}`).toBe(status);
      const sent = { ...(path && { path }), ...(query && { query }), ...(body !== undefined && { body }) };
      if (status < 300 || isSample) good.set(call, sent);
      return answer;
    },
  };
}

const headersOf = (call: Call, key: string | null, body: Sent['body']): Record<string, string> => ({
  ...(key === null ? {} : isDirectoryCall(call) ? { authorization: `Bearer ${key}` } : { 'x-gw-api-key': key }),
  ...(body === undefined ? {} : { 'content-type': mediaOf(call) }),
});

const mediaOf = (call: Call): string => `application/${isDirectoryCall(call) ? 'scim+json' : 'json'}`;

/** What is wrong with an answer, by the document. */
function createAnswerCheck({ paths, components }: ApiDocument) {
  const schemas = new Map<object, z.ZodType>();
  const compiled = (schema: object): z.ZodType => {
    const made = schemas.get(schema) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    schemas.set(schema, made);
    return made;
  };
  const resolved = (schema: object): object => {
    const name = '$ref' in schema ? String(schema.$ref).split('/').at(-1) : undefined;
    if (name === undefined) return schema;
    const found = components.schemas[name];
    if (found === undefined) throw new Error(`the document has no schema ${name}`);
    return found;
  };
  return (call: Call, status: number, body: unknown): readonly string[] => {
    const [method = '', path = ''] = call.split(' ');
    const operation = paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return [`the document has no ${call}`];
    const { [status]: own, default: other } = operation.responses;
    if (own === undefined && status < 300) return [`a success that is not described: ${status}`];
    const schema = (own ?? other)?.content?.[mediaOf(call)]?.schema;
    if (schema === undefined) return body === undefined ? [] : ['an answer that is not described'];
    return problems(compiled(resolved(schema)), body);
  };
}

function problems(schema: z.ZodType, body: unknown): readonly string[] {
  const parsed = schema.safeParse(body);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}
