import { err, ok } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import type { ManagedValue } from '../../types/index.ts';
import { pick } from './secret-mappings.ts';

const text = (value: string): ManagedValue => ({ kind: 'text', text: value });
const members = (value: Record<string, unknown>): ManagedValue => ({ kind: 'members', members: value });

describe('the value of a mapping', () => {
  test.each([
    ['a text is the value', text('sk-1'), undefined, 'Text', ok('sk-1')],
    ['line breaks at the end are dropped', text('sk-1\r\n'), undefined, 'Text', ok('sk-1')],
    ['a member of a JSON text', text('{"a":"1","b":2}'), 'b', 'Text', ok('2')],
    ['a member of a secret', members({ a: 'x', b: 'y' }), 'b', 'Text', ok('y')],
    ['the only member', members({ a: 'x' }), undefined, 'Text', ok('x')],
    ['an object as JSON', members({ a: { b: 1 } }), 'a', 'Json', ok('{"b":1}')],
    ['a text that is JSON', text('{"type":"service_account"}\n'), undefined, 'Json', ok('{"type":"service_account"}')],
  ] as const)('%s', (...[, value, key, format, expected]) => {
    expect(pick(value, key, format)).toEqual(expected);
  });

  test.each([
    ['an empty text', text('\n'), undefined, 'Text', 'is no text there; valueFormat Json takes objects'],
    [
      'an object where a text is wanted',
      members({ a: {} }),
      'a',
      'Text',
      'is no text there; valueFormat Json takes objects',
    ],
    ['a text where an object is wanted', text('canary'), undefined, 'Json', 'is no JSON object there'],
    [
      'several members and no key',
      members({ a: '1', b: '2' }),
      undefined,
      'Text',
      'has not exactly one member: name one by key',
    ],
    ['no member', members({}), undefined, 'Text', 'has not exactly one member: name one by key'],
    ['an absent member', members({ a: 'canary' }), 'b', 'Text', 'has no member b'],
    ['an inherited member', members({}), 'constructor', 'Text', 'has no member constructor'],
    ['a member of a text that is no JSON', text('canary'), 'a', 'Text', 'has no members: it is no JSON object'],
    ['a member of a JSON list', text('["canary"]'), '0', 'Text', 'has no members: it is no JSON object'],
  ] as const)('%s has none', (...[, value, key, format, problem]) => {
    expect(pick(value, key, format)).toEqual(err(problem));
  });
});
