import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appendMember, memberOf } from './splice.ts';

const MEMBER = memberOf('provider', 'groq');
const append = (text: string): string => appendMember(Buffer.from(text), MEMBER).toString();

describe('appending a member to JSON text', () => {
  test.for([
    ['goes before the last brace', '{"a":{"b":1}}', '{"a":{"b":1},"provider":"groq"}'],
    ['needs no comma in an empty object', '{}', '{"provider":"groq"}'],
    ['knows an empty object with space in it', '{ \n }', '{ \n "provider":"groq"}'],
    ['leaves space around the object', ' {"a":1}\r\n', ' {"a":1,"provider":"groq"}\r\n'],
    ['replaces a member of that name', ' {"provider":"x","a":1} ', ' {"provider":"groq","a":1} '],
    ['is not misled by a member further down', '{"a":{"provider":"x"}}', '{"a":{"provider":"x"},"provider":"groq"}'],
    ['is not misled by a text', '{"a":"say \\"provider\\""}', '{"a":"say \\"provider\\"","provider":"groq"}'],
    ['leaves a list alone', '[{"a":1}]', '[{"a":1}]'],
    ['leaves a text alone', '"{}"', '"{}"'],
    ['leaves what is cut off alone', '{"a":1', '{"a":1'],
    ['leaves a single brace alone', '{', '{'],
    ['leaves nothing alone', '', ''],
  ] as const)('%s', ([, given, want]) => {
    expect(append(given)).toBe(want);
  });

  test('equals setting the member, for any object and any spacing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        const plain = JSON.parse(text) as Record<string, unknown>;
        expect(JSON.parse(append(text))).toEqual({ ...plain, provider: 'groq' });
      }),
    );
  });

  test('does not copy what it does not change', () => {
    const bytes = Buffer.from('[1]');
    expect(appendMember(bytes, MEMBER)).toBe(bytes);
  });
});
