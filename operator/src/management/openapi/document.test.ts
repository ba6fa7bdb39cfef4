import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../families/index.ts';
import { createTestManagement } from '../testing.ts';
import { openApiDocument } from './document.ts';
import { KNOWN_OPERATIONS } from './known-operations.ts';

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: object } } };
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

const document = openApiDocument(OPERATIONS.map(({ operation }) => operation)) as Document;
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => ({ call: `${method.toUpperCase()} ${path}`, one })),
);

/** Of ours alone. */
const OWN: ReadonlySet<string> = new Set([
  'POST /admin/users/invites/accept',
  'GET /logs',
  'GET /auth/login',
  'GET /auth/callback',
  'GET /auth/session',
  'POST /auth/logout',
  'GET /logs/exports/{exportId}/file',
  'GET /scim/token',
  'POST /scim/token',
  'DELETE /scim/token',
  'GET /scim/ServiceProviderConfig',
  'GET /scim/ResourceTypes',
  'GET /scim/ResourceTypes/{id}',
  'GET /scim/Schemas',
  'GET /scim/Schemas/{id}',
]);

/** The calls of `GET|POST|PUT /things[/{id}]`: those that make one and list all are about no single one. */
function callsOf(known: string): readonly string[] {
  const [, methods, path, one] = /^([A-Z|]+\|[A-Z|]+) (.*)\[(.*)\]$/.exec(known) ?? [];
  if (methods === undefined || path === undefined || one === undefined) return [known];
  const of = (asked: string, url: string) =>
    methods
      .split('|')
      .filter((method) => asked.split(' ').includes(method))
      .map((method) => `${method} ${url}`);
  return [...of('GET POST', path), ...of('GET PUT PATCH DELETE', `${path}${one}`)];
}

describe('the document', () => {
  test('has the known operations that are served, and no others', () => {
    const served = KNOWN_OPERATIONS.filter(({ reason }) => reason === undefined).flatMap(({ calls }) =>
      calls.flatMap(callsOf),
    );
    expect(
      described
        .map(({ call }) => call)
        .filter((call) => !OWN.has(call))
        .sort(),
    ).toEqual([...served].sort());
  });

  test('knows each operation once', () => {
    const calls = KNOWN_OPERATIONS.flatMap(({ calls: all }) => all);
    expect(calls).toHaveLength(179);
    expect(new Set(calls).size).toBe(calls.length);
  });

  test('describes every segment of a path, and every body', () => {
    for (const { call, one } of described) {
      const segments = [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        one.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        call,
      ).toEqual(segments);
      expect(one.summary, call).toMatch(/\.$/);
      const hasBody =
        /^(POST|PUT|PATCH)|^DELETE \/admin\/workspaces\/\{workspaceId\}$/.test(call) &&
        !/\/(resend|test|token|start|cancel)$/.test(call);
      expect(one.requestBody !== undefined, call).toBe(hasBody);
    }
  });

  test('has the members of bodies and queries', () => {
    const { post: create, get: list } = document.paths['/policies/rate-limits'] ?? {};
    expect(create?.requestBody?.content['application/json'].schema).toMatchObject({
      type: 'object',
      required: ['conditions', 'group_by', 'type', 'unit', 'value'],
      properties: { unit: { enum: ['rpm', 'rph', 'rpd', 'rpw'] } },
      additionalProperties: false,
    });
    expect(list?.parameters.map(({ name }) => name)).toContain('page_size');
    const named = document.paths['/configs/{slug}']?.['get']?.parameters.map(({ name }) => name);
    expect(named).toEqual(['slug', 'workspace_id']);
  });

  test('is served to every key, and only to keys', async () => {
    const management = await createTestManagement([]);
    const served = await management.call('a', 'GET', '/openapi.json');
    expect([served.status, served.body]).toEqual([200, JSON.parse(JSON.stringify(document))]);
    expect((await management.call(undefined, 'GET', '/openapi.json')).status).toBe(401);
    await management.close();
  });
});
