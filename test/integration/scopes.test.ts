/** Every operation of the API needs its scope, and says so before it reads or looks up anything. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../gateway/src/pipeline/index.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { key } from '../kit/snapshot.ts';

const ofDeployment = (call: string): string => `/openai/deployments/d/${call}`;

/** As routes have it: clients send a colon. */
const ofGemini = (call: string): string => `/v1beta/models/m/${call}`;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Operations by the scopes that open them, any one of which is enough. */
const OPERATIONS: readonly { readonly scopes: readonly string[]; readonly calls: Partial<Record<Method, string[]>> }[] =
  [
    {
      scopes: ['completions.write'],
      calls: {
        POST: [
          ...['/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/rerank', '/v1/messages'],
          ...['/v1/messages/count_tokens', '/v1/images/generations', '/v1/images/edits', '/v1/audio/speech'],
          ...['/v1/audio/transcriptions', '/v1/audio/translations', '/v1/responses', '/v1/files', '/v1/batches'],
          ...['/v1/moderations', '/v1/images/variations'],
          ...['/v1/batches/b/cancel', '/v1/fine_tuning/jobs', '/v1/fine_tuning/jobs/j/cancel', '/v1/anything/else'],
          ...['/v1/messages/batches', '/v1/messages/batches/b/cancel'],
          ...['/v1/realtime/calls', '/v1/realtime/client_secrets', '/v1/realtime/sessions'],
          ...['/v1/realtime/transcription_sessions', '/v1/realtime/calls/c/accept', '/v1/realtime/calls/c/reject'],
          ...['/v1/realtime/calls/c/refer', '/v1/realtime/calls/c/hangup'],
          ...['/v1/realtime/translations/calls', '/v1/realtime/translations/client_secrets'],
          ...['/v1/gateway/tokenize', '/v1/prompts/p/completions'],
          ...['chat/completions', 'completions', 'embeddings', 'images/generations', 'images/edits'].map(ofDeployment),
          ...['audio/speech', 'audio/transcriptions', 'audio/translations'].map(ofDeployment),
          ...['/openai/v1/chat/completions', '/v1beta/models/m:predict', '/upload/v1beta/files'],
          ...['generateContent', 'streamGenerateContent', 'countTokens'].map(ofGemini),
          ...['embedContent', 'batchEmbedContents'].map(ofGemini),
          ...['/api/chat', '/api/generate', '/api/embed', '/api/embeddings', '/v2/chat', '/v2/embed', '/v2/rerank'],
        ],
        GET: [
          ...['/v1/responses/r', '/v1/responses/r/input_items', '/v1/files', '/v1/files/f', '/v1/files/f/content'],
          ...['/v1/batches', '/v1/batches/b', '/v1/batches/b/output', '/v1/fine_tuning/jobs', '/v1/fine_tuning/jobs/j'],
          ...['/v1/messages/batches', '/v1/messages/batches/b', '/v1/messages/batches/b/results'],
          ...['/v1/fine_tuning/jobs/j/events', '/v1/fine_tuning/jobs/j/checkpoints', '/v1/anything/else'],
        ],
        PUT: ['/v1/anything/else'],
        DELETE: ['/v1/responses/r', '/v1/files/f', '/v1/messages/batches/b', '/v1/anything/else'],
      },
    },
    { scopes: ['logs.write', 'completions.write'], calls: { POST: ['/v1/logs', '/v1/otel/v1/traces'] } },
    { scopes: ['prompts.render'], calls: { POST: ['/v1/prompts/p/render'] } },
    {
      scopes: ['virtual_keys.list', 'models.list', 'completions.write'],
      calls: { GET: ['/v1/models', '/v1beta/models', '/api/tags'], POST: ['/api/show'] },
    },
    { scopes: ['models.list', 'completions.write'], calls: { GET: ['/api/version', '/api/ps'] } },
  ];

const CALLS = OPERATIONS.flatMap(({ scopes, calls }) =>
  Object.entries(calls).flatMap(([method, paths]) => paths.map((path) => ({ method, path, scopes }))),
);
/** A scope that opens nothing of the data plane. */
const OTHER = 'configs.read';
const SCOPES = [OTHER, ...new Set(OPERATIONS.flatMap(({ scopes }) => scopes))];
const secretOf = (scope: string): string => `gwk_with_${scope}`;

let world: World;

beforeAll(async () => {
  const colon = key({ name: 'colon', secret: 'gwk_with_a_colon', scopes: ['completions:write'] });
  world = await startWorld({
    entries: () => [...SCOPES.map((scope) => key({ name: scope, secret: secretOf(scope), scopes: [scope] })), colon],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const call = (method: string, path: string, secret: string | undefined) =>
  send(world.url + path, {
    method,
    headers: {
      ...(secret === undefined ? {} : { 'x-gw-api-key': secret }),
      'x-gw-config': '{ not even JSON', // a step after the scope would refuse it
      'content-type': 'application/json',
    },
    ...(method === 'POST' || method === 'PUT' ? { body: '{ nor is this' } : {}),
  });

/** As the clients of the path read it. */
function refusalOf(path: string): object {
  const text = expect.stringContaining('Error Code: 033');
  if (path.startsWith('/v1/otel/')) return { code: 7, message: text };
  if (path.startsWith('/api/')) return { error: text };
  if (path.startsWith('/v1beta/') && !path.includes(':'))
    return { error: { message: text, status: 'PERMISSION_DENIED' } };
  return path.startsWith('/v2/') ? { message: text } : { error: { code: '033' } };
}

describe.each(CALLS)('$method $path', ({ method, path, scopes }) => {
  test('needs a key', async () => {
    expect((await call(method, path, undefined)).status).toBe(401);
  });

  test(`is opened by ${scopes.join(', ')} and by nothing else`, async () => {
    for (const scope of SCOPES) {
      const { status, json } = await call(method, path, secretOf(scope));
      if (scopes.includes(scope)) expect([401, 403]).not.toContain(status);
      else expect([status, json()]).toMatchObject([403, refusalOf(path)]);
    }
  });
});

test('a colon in a scope is a dot', async () => {
  expect((await call('POST', '/v1/chat/completions', 'gwk_with_a_colon')).status).toBe(400);
});

test('the table has every route of the gateway', () => {
  const named = CALLS.map(({ method, path }) => `${method} ${path}`);
  // realtime.test.ts has those that are no HTTP.
  const missing = ROUTES.filter(({ method, path, operation }) => {
    if (operation.connects === true) return false;
    const pattern = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+').replace('*', '.*')}$`);
    return !named.some((call) => pattern.test(call));
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
