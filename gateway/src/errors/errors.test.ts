import { ERRORS, type ErrorCode } from '@gatehouse/crds/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../lib/secret.ts';
import { AppError, errorFormatOfPath, messagesErrorType, messagesTypeOf, renderError, toAppError } from './index.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const bodyOf = (error: AppError, protocol: 'openai' | 'messages' = 'openai') =>
  JSON.parse(renderError(error, protocol).body.toString());

describe('every row of the error table', () => {
  test.for(CODES)('%s renders in both formats', (code) => {
    const row = ERRORS[code];
    const error = new AppError(code, { param: 'p' });
    const { status, headers } = renderError(error, 'openai');
    expect(status).toBe(row.status);
    expect(headers['content-type']).toContain('application/json');
    expect(bodyOf(error)).toMatchObject({
      error: { message: expect.any(String), type: row.type, param: 'p', code: row.wireCode },
    });
    expect(bodyOf(error, 'messages')).toMatchObject({
      type: 'error',
      error: { type: messagesErrorType(row), message: expect.any(String) },
    });
  });
});

describe('the shape of an error', () => {
  test.for<{ shape: string; error: AppError; want: object }>([
    {
      shape: 'K for keys',
      error: new AppError('KEY_INVALID'),
      want: {
        status: 'failure',
        message: expect.stringMatching(/^Gateway Error: .*\. Error Code: 03$/),
        error: { code: '03', message: expect.stringMatching(/^Gateway Error: .*\. Error Code: 03$/) },
      },
    },
    {
      shape: 'V for validation, one entry per problem',
      error: new AppError('CONFIG_INVALID', {
        issues: [
          { code: 'invalid', path: ['targets', 0, 'weight'], message: 'too small' },
          { code: 'invalid', path: [], message: 'odd' },
        ],
      }),
      want: {
        status: 'failure',
        message: expect.any(String),
        errors: ['path: targets,0,weight, message: too small', 'path: , message: odd'],
      },
    },
    {
      shape: 'O for targets',
      error: new AppError('UPSTREAM_TIMEOUT', { detail: 'after 5 ms' }),
      want: { error: { message: 'after 5 ms', type: 'timeout_error', param: null, code: null } },
    },
    {
      shape: 'P for providers',
      error: new AppError('UPSTREAM_INVALID_RESPONSE', { provider: 'openai' }),
      want: { error: { code: null }, provider: 'openai' },
    },
    {
      shape: 'B for what is blocked inline',
      error: new AppError('INLINE_CONFIG_BLOCKED', { param: 'x-gw-config' }),
      want: { status: 'failure', error: { code: 'inline_config_blocked', field: 'x-gw-config' } },
    },
    {
      shape: 'of an unknown route',
      error: new AppError('ROUTE_UNKNOWN'),
      want: { message: 'Not Found', ok: false },
    },
  ])('$shape', ({ error, want }) => {
    expect(bodyOf(error)).toMatchObject(want);
  });

  test('has further members beside the error in both formats, unless the error is hidden', () => {
    const members = { hook_results: { before_request_hooks: [] } };
    const denied = new AppError('GUARDRAIL_DENIED', { members });
    const openai = bodyOf(denied);
    expect(openai).toEqual({ error: expect.objectContaining({ type: 'hooks_failed', code: null }), ...members });
    expect(bodyOf(denied, 'messages')).toMatchObject({
      type: 'error',
      error: { type: 'hooks_failed' },
      ...members,
    });
    expect(bodyOf(new AppError('INTERNAL', { members }))).not.toHaveProperty('hook_results');
  });

  test('names no problems when there are none', () => {
    expect(bodyOf(new AppError('CONFIG_INVALID', { issues: [] }))).not.toHaveProperty('errors');
  });
});

describe('the headers of an error', () => {
  test.for([
    { ms: 0, want: '1' },
    { ms: 1, want: '1' },
    { ms: 1_000, want: '1' },
    { ms: 1_001, want: '2' },
  ])('have Retry-After in seconds: $ms ms are $want s', ({ ms, want }) => {
    expect(renderError(new AppError('KEY_RATE_LIMITED', { retryAfterMs: ms }), 'openai').headers['retry-after']).toBe(
      want,
    );
  });

  test.for([
    { code: 'INTERNAL', want: 'true' },
    { code: 'OPERATION_UNSUPPORTED', want: 'true' },
    { code: 'UPSTREAM_UNREACHABLE', want: undefined },
  ] as const)('mark what the gateway itself cannot do: $code', ({ code, want }) => {
    expect(renderError(new AppError(code), 'openai').headers['x-gw-gateway-exception']).toBe(want);
  });
});

describe('the path', () => {
  test.for([
    { path: '/v1/messages', want: 'messages' },
    { path: '/v1/messages/count_tokens', want: 'messages' },
    { path: '/v1/v1/messages', want: 'messages' },
    { path: '/v1/v1/v1/messages', want: 'openai' },
    { path: '/v1/messagesque', want: 'openai' },
    { path: '/v1/chat/completions', want: 'openai' },
    { path: '', want: 'openai' },
  ])('$path has errors of $want', ({ path, want }) => {
    expect(errorFormatOfPath(path)).toBe(want);
  });
});

test.for([
  { status: 400, want: 'invalid_request_error' },
  { status: 401, want: 'authentication_error' },
  { status: 403, want: 'permission_error' },
  { status: 404, want: 'not_found_error' },
  { status: 412, want: 'invalid_request_error' },
  { status: 413, want: 'request_too_large' },
  { status: 429, want: 'rate_limit_error' },
  { status: 446, want: 'hooks_failed' },
  { status: 500, want: 'api_error' },
  { status: 503, want: 'api_error' },
  { status: 529, want: 'overloaded_error' },
])('clients of Anthropic get $status as $want', ({ status, want }) => {
  expect(messagesErrorType({ status })).toBe(want);
});

test.for<[type: string | null, status: number | undefined, want: string]>([
  ['overloaded_error', 500, 'overloaded_error'],
  ['RESOURCE_EXHAUSTED', 429, 'rate_limit_error'],
  ['server_error', 500, 'api_error'],
  [null, 400, 'invalid_request_error'],
  ['server_error', undefined, 'api_error'],
  ['UNAVAILABLE', undefined, 'overloaded_error'],
  ['RESOURCE_EXHAUSTED', undefined, 'rate_limit_error'],
  ['stream_error', undefined, 'stream_error'],
  [null, undefined, 'api_error'],
])('they get the type %s with status %s as %s', ([type, status, want]) => {
  expect(messagesTypeOf(type, status)).toBe(want);
});

describe('a caught value', () => {
  test.for([new TypeError('x'), Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'boom', undefined, null])(
    'of any other kind is INTERNAL and keeps its cause: %s',
    (thrown) => {
      const error = toAppError(thrown);
      expect(error.code).toBe('INTERNAL');
      expect(error.cause).toBe(thrown);
    },
  );

  test('that is an AppError stays itself', () => {
    const error = new AppError('DRAINING');
    expect(toAppError(error)).toBe(error);
  });
});

describe('an error never shows', () => {
  const SECRET = 'sk-live-0123456789';

  test('what its row does not expose', () => {
    const hidden = CODES.filter((code) => !ERRORS[code].expose);
    expect(hidden).toContain('INTERNAL');
    for (const code of hidden) {
      const { body } = renderError(new AppError(code, { detail: SECRET, cause: new Error(SECRET) }), 'openai');
      expect(body.toString()).not.toContain(SECRET);
    }
  });

  test('a secret or a cause, whatever was thrown', () => {
    const secret = new Secret(SECRET);
    fc.assert(
      fc.property(
        fc.constantFrom(...CODES),
        fc.constantFrom('openai', 'messages'),
        fc.oneof(fc.constant(secret), fc.constant({ a: [secret] }), fc.constant(new Error(SECRET))),
        (code, protocol, thrown) => {
          const errors = [
            toAppError(thrown),
            new AppError(code, { cause: thrown }),
            new AppError(code, { detail: `with ${secret}`, param: `${secret}`, cause: thrown }),
          ];
          for (const error of errors) {
            const { body, headers } = renderError(error, protocol as 'openai' | 'messages');
            expect(body.toString() + JSON.stringify(headers)).not.toContain(SECRET);
          }
        },
      ),
    );
  });
});
