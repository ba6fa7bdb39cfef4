import { isObject } from '@gatehouse/crds';
import { examplesOf, sampleObjects } from '@gatehouse/crds/gen';
import { type AnyKind, API_VERSION, KINDS } from '@gatehouse/crds/kinds';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ApiAnswer, type ControlPlaneAccess, sharedControlPlane } from './index.ts';

const kinds: readonly AnyKind[] = Object.values(KINDS);

let controlPlane: ControlPlaneAccess;
let namespace: string;

beforeAll(async () => {
  controlPlane = sharedControlPlane();
  namespace = await controlPlane.createNamespace();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

const collectionOf = ({ scope, plural }: AnyKind): string =>
  `/apis/${API_VERSION}/${scope === 'Cluster' ? '' : `namespaces/${namespace}/`}${plural}`;

/** The object in the namespace of this file. */
const place = (object: unknown): Record<string, unknown> => {
  const { metadata, ...rest } = isObject(object) ? object : {};
  return { ...rest, metadata: { ...(isObject(metadata) ? metadata : {}), namespace } };
};

/** Of a Kind with one object in a cluster, another file may have made it: then this waits until it is removed. */
const dryRun = (kind: AnyKind, object: unknown): Promise<ApiAnswer> =>
  waitFor(
    async () => {
      const answer = await controlPlane.request('POST', `${collectionOf(kind)}?dryRun=All&fieldValidation=Strict`, {
        body: kind.scope === 'Cluster' ? object : place(object),
      });
      return answer.status === CONFLICT ? undefined : answer;
    },
    { what: `the removal of the ${kind.kind} of another test` },
  );

const CONFLICT = 409;

const refusal = z.looseObject({
  message: z.string(),
  details: z
    .looseObject({ causes: z.array(z.looseObject({ field: z.string().default('') })).default([]) })
    .prefault({}),
});

/** The fields that an error names. Unknown fields are refused before validation, in the message only. */
function blamed({ body }: ApiAnswer): string[] {
  const { message, details } = refusal.parse(body);
  const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)].map(([, field]) => field ?? '');
  return [...unknown, ...details.causes.map(({ field }) => field)];
}

test.for(kinds)('the API server takes the schema of $kind as it is', async ({ plural }) => {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.gatehouse.dev`;
  const { body } = await controlPlane.request('GET', path);
  const conditions = z
    .looseObject({
      status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })) }),
    })
    .parse(body).status.conditions;
  const names = conditions.map(({ type, status }) => `${type}=${status}`).sort();
  expect(names).toEqual(['Established=True', 'NamesAccepted=True']); // no NonStructuralSchema
});

describe('an example', () => {
  const examples = kinds.flatMap((kind) =>
    examplesOf(kind).map((example) => ({ ...example, kind, title: `${kind.kind} ${example.name}` })),
  );

  test.for(examples.filter(({ valid, webhookOnly }) => valid || webhookOnly))(
    '$title is taken',
    async ({ kind, object }) => {
      const answer = await dryRun(kind, object);
      expect(answer).toMatchObject({ status: 201 });
    },
  );

  test.for(examples.filter(({ valid, webhookOnly }) => !valid && !webhookOnly))(
    '$title is refused at $expect',
    async ({ kind, object, expect: field }) => {
      const answer = await dryRun(kind, object);
      expect([400, 422]).toContain(answer.status);
      expect(blamed(answer)).toContain(field);
    },
  );

  test.for(examples.filter(({ valid }) => valid))(
    '$title with the defaults of the server is what we parse it to',
    async ({ kind, object }) => {
      const { body } = await dryRun(kind, object);
      const { spec } = kind.resource.parse(body);
      expect(spec).toEqual(kind.resource.parse(object).spec);
    },
  );
});

describe('a sample of a rule', () => {
  const samples = kinds.flatMap((kind) =>
    sampleObjects(kind).map((sample, i) => ({
      ...sample,
      kind,
      title: `${kind.kind} ${i + 1}, ${sample.expect || 'whole'}`,
    })),
  );

  test.for(samples.filter(({ valid }) => valid))('$title, that holds it is taken', async ({ kind, object }) => {
    expect(await dryRun(kind, object)).toMatchObject({ status: 201 });
  });

  test.for(samples.filter(({ valid }) => !valid))(
    '$title, that breaks it is refused there',
    async ({ kind, object, expect: field }) => {
      const answer = await dryRun(kind, object);
      expect(answer).toMatchObject({ status: 422 });
      expect(blamed(answer)).toContain(field);
    },
  );
});

describe('a stored object', () => {
  const exampleOf = (kind: AnyKind, name: string): unknown => examplesOf(kind).find((it) => it.name === name)?.object;

  test.for([
    { kind: KINDS.Workspace, name: 'valid', change: { namespace: 'elsewhere' } },
    { kind: KINDS.ApiKey, name: 'valid', change: { type: 'organisation-service' } },
    { kind: KINDS.Integration, name: 'valid', change: { provider: 'cohere' } },
    { kind: KINDS.IntegrationAccess, name: 'valid', change: { integrationRef: { name: 'another' } } },
    { kind: KINDS.RateLimitPolicy, name: 'valid', change: { target: 'mcp_tool_calls' } },
    { kind: KINDS.WorkspaceMember, name: 'valid', change: { user: 'eve@example.com' } },
    { kind: KINDS.ScimMapping, name: 'valid', change: { role: 'admin' } },
    { kind: KINDS.ScimMapping, name: 'valid', change: { group: { name: 'Others' } } },
  ])('keeps what is immutable: $kind.kind $change', async ({ kind, name, change }) => {
    const own = `${namespace}-${Object.keys(change).join('-').toLowerCase()}`;
    const metadata = { name: own, ...(kind.scope === 'Cluster' ? {} : { namespace }) };
    const created = await controlPlane.request('POST', collectionOf(kind), {
      body: { ...place(exampleOf(kind, name)), metadata },
    });
    expect(created).toMatchObject({ status: 201 });
    const answer = await controlPlane.request('PATCH', `${collectionOf(kind)}/${own}`, {
      contentType: 'application/merge-patch+json',
      body: { spec: change },
    });
    expect(answer).toMatchObject({ status: 422 });
    expect(blamed(answer)).toContain(`spec.${Object.keys(change)[0]}`);
  });

  test('has its status written through the subresource alone', async () => {
    const [kind, name] = [KINDS.Guardrail, 'with-status'];
    const path = `${collectionOf(kind)}/${name}`;
    const object = { ...place(exampleOf(kind, 'valid')), metadata: { name, namespace } };
    const status = { conditions: [], observedGeneration: 1 };
    expect(await controlPlane.request('POST', collectionOf(kind), { body: { ...object, status } })).toMatchObject({
      status: 201,
      body: { metadata: { generation: 1 } },
    });
    expect((await controlPlane.request('GET', path)).body).toHaveProperty('status', { observedGeneration: -1 });
    const answer = await controlPlane.request('PATCH', `${path}/status`, {
      contentType: 'application/merge-patch+json',
      body: { status },
    });
    expect(answer).toMatchObject({ status: 200, body: { status, metadata: { generation: 1 } } });
  });
});
