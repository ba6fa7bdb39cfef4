import { describe, expect, test } from 'vitest';
import { DEFAULT_JSON_LIMITS, readJson } from '../../lib/json/index.ts';
import type { JsonObject } from '../contract.ts';
import { withoutUnsignedThoughts } from './unsigned-thoughts.ts';

const user = { role: 'user', content: 'Hi' };
const text = { type: 'text', text: 'Hello' };
const thought = (signature?: string): object => ({
  type: 'thinking',
  thinking: 'Hm',
  ...(signature !== undefined && { signature }),
});
const said = (...content: readonly unknown[]): object => ({ role: 'assistant', content });

describe('of a conversation', () => {
  test.for<[rule: string, messages: readonly unknown[], want: readonly unknown[]]>([
    ['an empty signature', [user, said(thought(''), text), user], [user, said(text), user]],
    ['none at all', [user, said(thought(), text)], [user, said(text)]],
    ['only among signed ones', [said(thought('sig'), thought(''), text)], [said(thought('sig'), text)]],
    ['with a message that was nothing else', [user, said(thought('')), user], [user, user]],
  ])('thinking is left out: %s', ([, messages, want]) => {
    expect(withoutUnsignedThoughts({ model: 'm', messages })).toEqual({ model: 'm', messages: want });
  });

  test.for<[rule: string, params: JsonObject]>([
    ['signed thinking', { messages: [said(thought('sig'), { type: 'redacted_thinking', data: 'x' }, text)] }],
    ['what users say', { messages: [{ role: 'user', content: [thought('')] }] }],
    ['contents that are no lists', { messages: [{ role: 'assistant', content: 'thinking' }, 7, null] }],
    ['messages that are no list', { messages: 'thinking' }],
    ['a request without messages', { model: 'm' }],
  ])('all else is the same object: %s', ([, params]) => {
    expect(withoutUnsignedThoughts(params)).toBe(params);
  });

  test('long ones without thinking are not read', () => {
    const body = JSON.stringify({ messages: [{ ...user, content: 'x'.repeat(10_000) }] });
    const params = readJson(Buffer.from(body), DEFAULT_JSON_LIMITS) as JsonObject;
    expect(withoutUnsignedThoughts(params)).toBe(params);
  });
});
