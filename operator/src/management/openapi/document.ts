/** The operations as an OpenAPI document. Source: OpenAPI 3.1, whose schemas are JSON Schema of draft 2020-12. */
import { REST_ERRORS, type RestOperation } from '@gatehouse/crds/rest';
import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

const ERROR: JsonSchema = {
  type: 'object',
  required: ['success', 'errorCode', 'message', 'error'],
  properties: {
    success: { const: false },
    errorCode: { enum: [...new Set(Object.values(REST_ERRORS).map(({ code }) => code))] },
    message: { type: 'string' },
    error: {
      type: 'object',
      required: ['code', 'message', 'param', 'type'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        param: { type: ['string', 'null'] },
        type: { enum: [...new Set(Object.values(REST_ERRORS).map(({ type }) => type))] },
      },
    },
    issues: {
      type: 'array',
      items: { type: 'object', properties: { param: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

/** Source: RFC 7644, section 3.12. */
const SCIM_ERROR: JsonSchema = {
  type: 'object',
  required: ['schemas', 'status', 'detail'],
  properties: {
    schemas: { type: 'array', items: { type: 'string' } },
    status: { type: 'string' },
    scimType: { type: 'string' },
    detail: { type: 'string' },
  },
};

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** Paths are below `/v1`. */
export function openApiDocument(operations: readonly RestOperation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: toOperation(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Management API', version: 'v1' },
    servers: [{ url: '/v1' }],
    security: [{ gatewayKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        gatewayKey: { type: 'apiKey', in: 'header', name: 'x-gw-api-key' },
        bearer: { type: 'http', scheme: 'bearer' },
        scimToken: { type: 'http', scheme: 'bearer', description: 'The token of POST /scim/token.' },
      },
      schemas: { Error: ERROR, ScimError: SCIM_ERROR },
    },
  };
}

function toOperation(operation: RestOperation): object {
  const { id, summary, scopes, body } = operation;
  const { media, error } = operation.protocol === 'scim' ? SCIM : JSON_API;
  return {
    operationId: id,
    tags: [id.split('.')[0]],
    summary,
    ...securityOf(operation),
    ...(scopes.length === 0 ? {} : { description: `Needs the scope ${scopes.join(' or ')}.` }),
    parameters: parametersOf(operation),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [media]: { schema: schemaOf(body, 'input') } } } }),
    responses: {
      ...successOf(operation, operation.media ?? media),
      default: { description: 'It was refused, or failed.', content: { [media]: { schema: { $ref: error } } } },
    },
  };
}

const JSON_API = { media: 'application/json', error: '#/components/schemas/Error' } as const;
const SCIM = { media: 'application/scim+json', error: '#/components/schemas/ScimError' } as const;

function securityOf({ isPublic, protocol }: RestOperation): object {
  if (isPublic) return { security: [] };
  return protocol === 'scim' ? { security: [{ scimToken: [] }] } : {};
}

function successOf({ method, protocol, status, answer }: RestOperation, media: string): object {
  const content = answer === undefined ? {} : { content: { [media]: { schema: schemaOf(answer, 'output') } } };
  if (status === 302) return { 302: { description: 'The browser is led elsewhere.', ...content } };
  const done = { description: 'Done.', ...content };
  if (protocol !== 'scim') return { 200: done };
  if (method === 'POST') return { 201: done };
  const empty = { 204: { description: 'Done, without a body.' } };
  if (method === 'PATCH') return { 200: done, ...empty };
  return method === 'DELETE' ? empty : { 200: done };
}

/** Operations on one object take the workspace that is meant. */
function parametersOf({ method, path, query, protocol }: RestOperation): object[] {
  const inPath = pathParameters(path);
  const own = query === undefined ? [] : queryParameters(query);
  const isAboutOne = method !== 'POST' && inPath.length > 0 && protocol !== 'scim';
  const isKnown = own.some(({ name }) => name === WORKSPACE.name);
  return [...inPath, ...own, ...(isAboutOne && !isKnown ? [WORKSPACE] : [])];
}

const WORKSPACE = { name: 'workspace_id', in: 'query', required: false, schema: { type: 'string' } };

const pathParameters = (path: string): object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters(query: z.ZodType): (object & { readonly name: string })[] {
  const { properties = {}, required = [] } = schemaOf(query, 'output') as {
    readonly properties?: Readonly<Record<string, object>>; // queries are objects
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}
