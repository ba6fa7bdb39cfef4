import type { ErrorCode } from '@gatehouse/crds/errors';
import { describe, expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { toUpstreamError, withOrigin } from './failures.ts';

const ORIGIN = 'https://api.example:8443';
const socketError = (code: string): AppError => toUpstreamError(Object.assign(new Error('secret text'), { code }));

describe('a call that reached no server', () => {
  test.for([
    { code: 'ECONNREFUSED', want: 'UPSTREAM_UNREACHABLE', reason: /nothing accepts/ },
    { code: 'ENOTFOUND', want: 'UPSTREAM_UNREACHABLE', reason: /no address/ },
    { code: 'EAI_AGAIN', want: 'UPSTREAM_UNREACHABLE', reason: /looked up/ },
    { code: 'UND_ERR_SOCKET', want: 'UPSTREAM_UNREACHABLE', reason: /closed/ },
    { code: 'CERT_HAS_EXPIRED', want: 'UPSTREAM_UNREACHABLE', reason: /certificate/ },
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', want: 'UPSTREAM_UNREACHABLE', reason: /not trusted/ },
    { code: 'UND_ERR_CONNECT_TIMEOUT', want: 'UPSTREAM_CONNECT_TIMEOUT', reason: /in time/ },
    { code: 'EHOSTDOWN', want: 'UPSTREAM_UNREACHABLE', reason: /reached/ },
  ])('because of $code names the place and the reason', ({ code, want, reason }) => {
    const named = withOrigin(socketError(code), ORIGIN);
    expect(named.code).toBe(want);
    expect(named.message).toContain(ORIGIN);
    expect(named.message).toMatch(reason);
    expect(named.message).not.toContain('secret text');
    expect(named.cause).toBeInstanceOf(Error);
  });

  test('on every address has the reason of the first', () => {
    const errors = ['ECONNREFUSED', 'EHOSTUNREACH'].map((code) => Object.assign(new Error(code), { code }));
    expect(withOrigin(toUpstreamError(new AggregateError(errors)), ORIGIN).message).toMatch(/nothing accepts/);
  });

  test.for([
    new AppError('CLIENT_CLOSED'),
    new AppError('INTERNAL', { cause: 'bug' }),
    new AppError('UPSTREAM_UNREACHABLE', { detail: 'said already' }),
  ])('is not what $code is about', (error) => {
    expect(withOrigin(error, ORIGIN)).toBe(error);
  });
});

describe('a value that no header can carry', () => {
  test('is what the error is about, and not repeated: the server may well be there', () => {
    const cause = Object.assign(new Error('invalid x-api-key header'), { code: 'UND_ERR_INVALID_ARG' });
    const error = withOrigin(toUpstreamError(cause), ORIGIN);
    expect(error.code).toBe('CREDENTIAL_UNAVAILABLE');
    expect(error.message).toMatch(/^The value of x-api-key .* no header can carry/);
    expect(error.message).not.toContain(ORIGIN);
    expect(error.cause).toBe(cause);
  });

  test.for(['invalid request path', 'invalid upgrade header now'])('is not another argument: %s', (text) => {
    const other = Object.assign(new Error(text), { code: 'UND_ERR_INVALID_ARG' });
    expect(toUpstreamError(other).code).toBe('UPSTREAM_UNREACHABLE');
  });
});

describe('a failure of an upstream call', () => {
  const coded = (code: unknown): Error => Object.assign(new Error('x'), { code });
  const parser = Object.assign(new Error('x'), { name: 'HTTPParserError', code: undefined });

  test.for<{ rule: string; thrown: unknown; want: ErrorCode }>([
    { rule: 'a connect timeout', thrown: coded('UND_ERR_CONNECT_TIMEOUT'), want: 'UPSTREAM_CONNECT_TIMEOUT' },
    { rule: 'a socket timeout', thrown: coded('ETIMEDOUT'), want: 'UPSTREAM_CONNECT_TIMEOUT' },
    { rule: 'a headers timeout', thrown: coded('UND_ERR_HEADERS_TIMEOUT'), want: 'UPSTREAM_TIMEOUT' },
    { rule: 'a silent body', thrown: coded('UND_ERR_BODY_TIMEOUT'), want: 'UPSTREAM_STREAM_IDLE' },
    { rule: 'too many headers', thrown: coded('UND_ERR_HEADERS_OVERFLOW'), want: 'UPSTREAM_INVALID_RESPONSE' },
    { rule: 'a body too large', thrown: coded('UND_ERR_RES_EXCEEDED_MAX_SIZE'), want: 'UPSTREAM_TOO_LARGE' },
    { rule: 'anything else of undici', thrown: coded('UND_ERR_SOCKET'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'a refused connection', thrown: coded('ECONNREFUSED'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'a reset', thrown: coded('ECONNRESET'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'an unknown name', thrown: coded('ENOTFOUND'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'a resolver that fails', thrown: coded('EAI_FAIL'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'no free port', thrown: coded('EADDRNOTAVAIL'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'TLS where there is none', thrown: coded('EPROTO'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'a TLS failure', thrown: coded('ERR_SSL_WRONG_VERSION_NUMBER'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'a wrong certificate', thrown: coded('ERR_TLS_CERT_ALTNAME_INVALID'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'an old certificate', thrown: coded('CERT_HAS_EXPIRED'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'an unknown issuer', thrown: coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'a self-signed certificate', thrown: coded('DEPTH_ZERO_SELF_SIGNED_CERT'), want: 'UPSTREAM_UNREACHABLE' },
    { rule: 'bytes that are no HTTP', thrown: coded('HPE_INVALID_CONSTANT'), want: 'UPSTREAM_INVALID_RESPONSE' },
    { rule: 'the same without a code', thrown: parser, want: 'UPSTREAM_INVALID_RESPONSE' },
    { rule: 'an answer that HTTP does not allow', thrown: coded('ERR_ASSERTION'), want: 'UPSTREAM_INVALID_RESPONSE' },
    {
      rule: 'the first of several',
      thrown: new AggregateError([coded('ECONNREFUSED'), coded('EPERM')]),
      want: 'UPSTREAM_UNREACHABLE',
    },
    { rule: 'several of nothing', thrown: new AggregateError([]), want: 'INTERNAL' },
    { rule: 'a bug', thrown: new TypeError('x'), want: 'INTERNAL' },
    { rule: 'an unknown code', thrown: coded('EWHATEVER'), want: 'INTERNAL' },
    { rule: 'a code that is a number', thrown: coded(20), want: 'INTERNAL' },
    { rule: 'a text', thrown: 'boom', want: 'INTERNAL' },
    { rule: 'nothing', thrown: undefined, want: 'INTERNAL' },
    { rule: 'null', thrown: null, want: 'INTERNAL' },
  ])('$rule: $want', ({ thrown, want }) => {
    const error = toUpstreamError(thrown);
    expect(error.code).toBe(want);
    expect(error.cause).toBe(thrown === undefined ? undefined : thrown);
  });

  test('and an AppError stays itself', () => {
    const error = new AppError('DRAINING');
    expect(toUpstreamError(error)).toBe(error);
  });
});
