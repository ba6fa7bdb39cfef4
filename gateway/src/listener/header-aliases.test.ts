import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { renameHeaders, writeAliases } from './header-aliases.ts';

const ALIASES = ['x-acme-', 'x-other-'];

describe('headers with another prefix', () => {
  test.for([
    {
      rule: 'become those of the gateway',
      given: { 'x-acme-config': 'c', 'x-other-trace-id': 't', accept: 'a' },
      want: { 'x-gw-config': 'c', 'x-gw-trace-id': 't', accept: 'a' },
      used: ALIASES,
    },
    {
      rule: 'are at home beside those of the gateway',
      given: { 'x-gw-config': 'c', 'x-other-trace-id': 't' },
      want: { 'x-gw-config': 'c', 'x-gw-trace-id': 't' },
      used: ['x-other-'],
    },
    { rule: 'are optional', given: { 'x-gw-config': 'c' }, want: { 'x-gw-config': 'c' }, used: [] },
    {
      rule: 'are no headers of the gateway with underscores, and never leave',
      given: { x_acme_config: 'c', 'x-acme_config': 'd' },
      want: { x_gw_config: 'd' },
      used: [],
    },
  ])('$rule', ({ given, want, used }) => {
    const headers = { ...given };
    const { used: found, refusal } = renameHeaders(headers, ALIASES);
    expect([found, refusal]).toEqual([new Set(used), undefined]);
    expect(headers).toEqual(want);
  });

  test.for([
    { 'x-gw-config': 'a', 'x-acme-config': 'a' },
    { 'x-acme-config': 'a', 'x-gw-config': 'b' },
    { 'x-acme-config': 'a', 'x-other-config': 'b' },
  ])('are refused under two names: %j', (given) => {
    expect(renameHeaders({ ...given }, ALIASES)).toMatchObject({
      refusal: { code: 'HEADER_INVALID', param: 'x-gw-config' },
    });
  });
});

/** The headers that are written for an answer. */
function written(used: readonly string[], headers: OutgoingHttpHeaders | undefined) {
  const heads: (OutgoingHttpHeaders | undefined)[] = [];
  const response = { writeHead: (_status: number, given?: OutgoingHttpHeaders) => void heads.push(given) };
  writeAliases(response, { aliases: ALIASES, used: new Set(used) });
  response.writeHead(200, headers);
  return heads[0];
}

describe('an answer to a request with another prefix', () => {
  const answer = (headers?: OutgoingHttpHeaders) => written(['x-acme-'], headers);

  test('has the headers of the gateway under both names', () => {
    expect(answer({ 'x-gw-trace-id': 't', 'content-type': 'c' })).toEqual({
      'x-gw-trace-id': 't',
      'x-acme-trace-id': 't',
      'content-type': 'c',
    });
    expect(answer()).toBeUndefined();
  });

  test('has them under all names that the request used', () => {
    expect(Object.keys(written(ALIASES, { 'x-gw-a': '1' }) ?? {}).sort()).toEqual(['x-acme-a', 'x-gw-a', 'x-other-a']);
  });

  test('has no header of a provider that looks like one of the gateway', () => {
    const given = { 'x-gw-trace-id': 't', 'x-acme-trace-id': 'p', 'x-acme-provider': 'p', 'x-other-config': 'p' };
    expect(answer(given)).toEqual({ 'x-gw-trace-id': 't', 'x-acme-trace-id': 't' });
  });

  test.for([
    { exposed: '*', want: '*' },
    { exposed: 'X-GW-Trace-Id,x-request-id', want: 'X-GW-Trace-Id, x-request-id, x-acme-Trace-Id' },
  ])('exposes them to browsers: $exposed', ({ exposed, want }) => {
    expect(answer({ 'access-control-expose-headers': exposed })).toEqual({ 'access-control-expose-headers': want });
  });
});

test('an answer to a request without another prefix has the headers of the gateway once', () => {
  const own = { 'x-gw-trace-id': 't', 'access-control-expose-headers': 'x-gw-a' };
  expect(written([], { ...own, 'x-acme-trace-id': 'p' })).toEqual(own);
});
