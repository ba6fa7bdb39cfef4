import { describe, expect, test } from 'vitest';
import { AppError, toAppError } from '../errors/index.ts';
import { locate } from './unreachable.ts';

const ORIGIN = 'https://api.example:8443';
const socketError = (code: string): AppError => toAppError(Object.assign(new Error('secret text'), { code }));

describe('a call that reached nobody', () => {
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
    const located = locate(socketError(code), ORIGIN);
    expect(located.code).toBe(want);
    expect(located.message).toContain(ORIGIN);
    expect(located.message).toMatch(reason);
    expect(located.message).not.toContain('secret text');
    expect(located.cause).toBeInstanceOf(Error);
  });

  test('on every address has the reason of the first', () => {
    const errors = ['ECONNREFUSED', 'EHOSTUNREACH'].map((code) => Object.assign(new Error(code), { code }));
    expect(locate(toAppError(new AggregateError(errors)), ORIGIN).message).toMatch(/nothing accepts/);
  });

  test.for([
    new AppError('CLIENT_CLOSED'),
    new AppError('INTERNAL', { cause: 'bug' }),
    new AppError('UPSTREAM_UNREACHABLE', { detail: 'said already' }),
  ])('is not what $code is about', (error) => {
    expect(locate(error, ORIGIN)).toBe(error);
  });
});
