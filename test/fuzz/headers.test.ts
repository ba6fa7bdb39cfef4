/** Any headers and body of a request: the gateway answers, and no secret is in the answer. */
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { config, fakeRequest, KEY, key, provider, snapshot, workspace } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBudgets, createMemoryBudgetStore } from '../../gateway/src/budgets/index.ts';
import { renderError, toAppError } from '../../gateway/src/errors/index.ts';
import { createByteBudget } from '../../gateway/src/lib/byte-budget.ts';
import { Cancellation } from '../../gateway/src/lib/cancellation.ts';
import { createMemoryLimiter } from '../../gateway/src/limits/index.ts';
import { authorize } from '../../gateway/src/pipeline/authorize.ts';
import { identify } from '../../gateway/src/pipeline/identify.ts';
import { admit } from '../../gateway/src/pipeline/limits/index.ts';
import { OPERATIONS, type OperationId } from '../../gateway/src/pipeline/operations/index.ts';
import { readBody } from '../../gateway/src/pipeline/read-body.ts';
import { createResolver } from '../../gateway/src/pipeline/resolve/index.ts';
import { traceOf } from '../../gateway/src/pipeline/trace.ts';
import { PROVIDERS } from '../../gateway/src/providers/register.ts';
import { createSnapshotHolder } from '../../gateway/src/snapshot/index.ts';
import { createHostPolicy } from '../../gateway/src/upstream/host-guard/index.ts';
import { runs } from './runs.ts';

const SECRET = 'sk-stored-secret-0123456789';
const CREDENTIAL = 'sk-client-credential-0123456789';

const holder = createSnapshotHolder({ providers: PROVIDERS });
await holder.load(
  1,
  snapshot(workspace(), key(), provider('main', { secret: SECRET }), config('saved', { provider: '@main' })),
);
const view = holder.current;
if (view === undefined) throw new Error(holder.status.rejected?.reason);

const hosts = createHostPolicy({ trustedCustomHosts: undefined, production: true });
const resolver = createResolver({ providers: PROVIDERS, hosts, caps: DEFAULT_TARGET_CAPS, savedConfigsOnly: false });
const limiter = createMemoryLimiter();
const budgets = createBudgets({ store: createMemoryBudgetStore() });

const latin1 = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
const value = fc.oneof(
  latin1,
  fc.constantFrom('@main', 'saved', 'openai', 'azure-openai', 'true', 'false', '-1', '1e9', 'null', '["a"]'),
  fc.constantFrom('{}', '{"provider":"@main"}', 'http://[::1]', 'https://a.example', '00-0-0-0', 'a=b;c,d=%zz'),
  fc.jsonValue().map((json) => JSON.stringify(json)),
);
/** Where a client rightly puts something secret. */
const secretive = fc.oneof(value, fc.constantFrom(KEY, `Bearer ${KEY}`, CREDENTIAL, `Bearer ${CREDENTIAL}`));
const document = fc.oneof(
  value,
  fc.constantFrom(`{"api_key":"${CREDENTIAL}"`, `{"provider":"x","api_key":"${CREDENTIAL}"}`),
  fc
    .jsonValue({ maxDepth: 2 })
    .map((json) => JSON.stringify({ provider: 'openai', api_key: CREDENTIAL, retry: json, targets: json })),
  fc
    .jsonValue({ maxDepth: 2 })
    .map((json) => JSON.stringify({ provider: 'openai', apiKey: [CREDENTIAL], weight: json })),
);
const names = [
  ...[
    'x-gw-provider',
    'x-gw-virtual-key',
    'x-gw-custom-host',
    'x-gw-trace-id',
    'x-gw-metadata',
    'x-gw-request-timeout',
  ],
  ...['x-gw-forward-headers', 'x-gw-strict-open-ai-compliance', 'baggage', 'x-gw-cache-namespace', 'traceparent'],
  ...[
    'x-gw-cache-force-refresh',
    'content-type',
    'x-gw-azure-foundry-url',
    'x-gw-azure-resource-name',
    'x-gw-aws-region',
  ],
];
const headersOf = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }),
    fc.record(
      {
        authorization: secretive,
        'x-api-key': secretive,
        'x-gw-api-key': secretive,
        'x-gw-aws-secret-access-key': secretive,
        'x-gw-vertex-service-account-json': secretive,
        'x-gw-config': document,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([plain, secret]) => ({ ...plain, ...secret }) as Record<string, string>);

test('any headers and any body are resolved or refused with a code, without a secret', async () => {
  await fc.assert(
    fc.asyncProperty(
      headersOf,
      fc.boolean(),
      fc.constantFrom(...(Object.keys(OPERATIONS) as OperationId[])),
      fc.dictionary(fc.constantFrom('model', 'stream', 'messages', '__proto__'), fc.jsonValue(), { maxKeys: 3 }),
      async (given, known, id, body) => {
        const headers = known ? { ...given, 'x-gw-api-key': KEY } : given;
        const request = fakeRequest({ headers, body: JSON.parse(JSON.stringify(body)) });
        const trace = traceOf(request);
        expect(trace.traceId).not.toBe('');
        try {
          const caller = await identify(request, view);
          authorize(caller, OPERATIONS[id]);
          await admit(caller, request, { limiter, budgets, now: () => 0 });
          const signal = new Cancellation();
          const memory = createByteBudget(0).open(); // nothing is read
          const operation = OPERATIONS[id];
          const of = { operation, request, snapshot: view, signal, atEnd: () => {}, memory, startedMs: 0, trace };
          resolver.resolve(of, caller, await readBody(of));
        } catch (thrown) {
          const error = toAppError(thrown);
          expect(error.code, String(error.cause)).not.toBe('INTERNAL');
          const { body: bytes, status } = renderError(error, 'openai');
          expect(status).toBeGreaterThanOrEqual(400);
          expect(bytes.toString()).not.toContain(SECRET);
          expect(bytes.toString()).not.toContain(CREDENTIAL);
          expect(bytes.toString()).not.toContain(KEY);
        }
      },
    ),
    runs(500),
  );
});
