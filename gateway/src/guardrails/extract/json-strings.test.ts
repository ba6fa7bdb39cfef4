/** Strings of JSON texts in answers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../wire/contract.ts';
import { JsonStrings, placesOf, withTexts } from './index.ts';

test('changed arguments stay JSON, with all that is no string of theirs', () => {
  const item = (text: string) => ({ output: [{ type: 'mcp_call', arguments: text }] });
  const body = item('{ "a" : "b\\u0021", "c":[1, "d"], "e":"" }');
  const changed = withTexts(body, placesOf('createModelResponse', 'output', body), ['"x"\n', undefined]);
  expect(changed).toEqual(item('{ "a" : "\\"x\\"\\n", "c":[1, "d"], "e":"" }'));
});

describe('an argument or an output that is JSON, or begins like it,', () => {
  const deep = (text: string) => `${'{"a":'.repeat(2_000)}${text}${'}'.repeat(2_000)}`;
  const cases = [
    { name: 'cut off', given: '{"a":"\\u0073ecret","b', want: ['a', 'secret', 'b'], shown: '{"a":"<1>","b' },
    { name: 'cut off in an escape', given: '{"a":"\\u0073ecret\\u00', want: ['a', 'secret'], shown: '{"a":"<1>\\u00' },
    { name: 'with other escapes', given: '["\\q\\u0073ecret"', want: ['\\qsecret'], shown: '["\\\\q<1>"' },
    { name: 'with lines in strings', given: '["\n\\u0073ecret"]', want: ['\nsecret'], shown: '["\\n<1>"]' },
    {
      name: 'with names that are none',
      given: '{"a","\\u0073ecret": secret',
      want: ['a', 'secret', 'secret'],
      shown: '{"a","<1>": <1>',
    },
  ];
  const bodies = [
    { of: 'arguments', make: (text: string) => ({ output: [{ type: 'mcp_call', arguments: text }] }) },
    { of: 'output', make: (text: string) => ({ output: [{ type: 'mcp_call', output: text }] }) },
  ];
  const redacted = (body: JsonObject) => {
    const places = placesOf('createModelResponse', 'output', body);
    const texts = places.map(({ text }) => text);
    const changed = withTexts(
      body,
      places,
      texts.map((text) => text.replaceAll('secret', '<1>')),
    );
    return { texts, changed };
  };

  test.for(bodies.flatMap((body) => cases.map((each) => ({ ...body, ...each }))))(
    'is looked at without its escapes: $of $name',
    ({ make, given, want, shown }) => {
      expect(redacted(make(given))).toEqual({ texts: want, changed: make(shown) });
    },
  );

  test.for(bodies)('is looked at without its escapes: $of nested deep', ({ make }) => {
    const { texts, changed } = redacted(make(deep('["\\u0073ecret", 1]')));
    expect(texts.filter((text) => text !== 'a')).toEqual(['secret', '1']);
    expect(changed).toEqual(make(deep('["<1>", 1]')));
  });

  test('stays JSON, and hides no name and no number of an output', () => {
    const output = (text: string) => ({ output: [{ type: 'mcp_call', output: text }] });
    const given = ' {"\\u00e9": ["\\u0073ecret", 4111, true, 7, null], "secret": {"b": "", "c": false}}';
    const { texts, changed } = redacted(output(given));
    expect(texts).toEqual(['é', 'secret', '4111, true, 7, null', 'secret', 'b', 'c']);
    expect(changed).toEqual(output(' {"\\u00e9": ["<1>", 4111, true, 7, null], "<1>": {"b": "", "c": false}}'));
  });

  test.for([
    '{"a": "secret", "b": 4111}',
    "{'a': 'secret\\n'}",
    '[INFO] "C:\\new"',
    'a {"b":"\\u0073ecret"}',
    '{print("a\\n")}',
  ])('is a text as it is where it is none, or has no escapes: %s', (text) => {
    expect(redacted({ output: [{ type: 'mcp_call', output: text }] }).texts).toEqual([text]);
  });

  test('is looked at in what code has printed', () => {
    const printed = (text: string) => ({ type: 'code_execution_result', code_execution_result: { output: text } });
    const chat = { choices: [{ message: { content: '', content_blocks: [printed('["\\u0073ecret"]')] } }] };
    const message = { content: [printed('["\\u0073ecret"]')] };
    expect(placesOf('chatComplete', 'output', chat).map(({ text }) => text)).toEqual(['', 'secret']);
    expect(placesOf('messages', 'output', message).map(({ text }) => text)).toEqual(['secret']);
  });

  test.for(bodies)('is one text where it is too long to be checked: $of', ({ make }) => {
    const long = (length: number) => `${'["\\u0061",'.repeat(length / 10)}`;
    const found = (text: string) => placesOf('createModelResponse', 'output', make(text));
    expect(found(long(1_000_000))).toHaveLength(100_000);
    expect(found(long(1_100_000))).toHaveLength(1);
  });

  test('takes time that grows with its length only', () => {
    for (const text of [
      `["\\u0061"${','.repeat(500_000)}`,
      `["\\n",${'true '.repeat(100_000)}`,
      `${' '.repeat(500_000)}\\`,
      `{${' '.repeat(500_000)}\\`,
      '["\\u0061"'.repeat(100_000),
    ]) {
      for (const { make } of bodies)
        expect(placesOf('createModelResponse', 'output', make(text)).length).toBeLessThanOrEqual(100_000);
    }
  });
});

describe('strings of a JSON text', () => {
  const read = (pieces: readonly string[]) => {
    const strings = new JsonStrings();
    const read = pieces.map((piece) => strings.push(piece));
    const said = new Map<number, string>();
    for (const { string, said: text } of read.flatMap(({ pieces }) => pieces))
      if (text !== undefined) said.set(string, (said.get(string) ?? '') + text);
    return {
      raw: read.flatMap(({ pieces }) => pieces.map(({ raw }) => raw)).join('') + strings.end(),
      said: [...said.values()],
    };
  };
  const valuesIn = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return value === '' ? [] : [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
  };
  const escaped = (json: string): string =>
    json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '😀', 'é', '{', ':', ',') });
  const anyJson = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(text, tie('value')), { maxLength: 4 })
        .map((members) => Object.fromEntries(members.map(([name, value], i) => [`k${i}${name}`, value]))),
    ),
  })).value;

  test('are its values, wherever it is split', () => {
    fc.assert(
      fc.property(anyJson, fc.boolean(), fc.array(fc.nat(), { maxLength: 20 }), (value, isEscaped, cuts) => {
        const json = isEscaped ? escaped(JSON.stringify(value)) : JSON.stringify(value);
        const at = [0, ...cuts.map((cut) => cut % (json.length + 1)).sort((a, b) => a - b), json.length];
        const { raw, said } = read(at.slice(1).map((end, i) => json.slice(at[i], end)));
        expect(raw).toBe(json);
        expect(said).toEqual(valuesIn(value));
      }),
    );
  });

  test('are read of what is no JSON, too', () => {
    expect(read(['{"a":"b\\', 'q", ]}"c"', ':"d\\u12'])).toEqual({
      raw: '{"a":"b\\q", ]}"c":"d\\u12',
      said: ['b\\q', 'c', 'd'],
    });
  });

  test('are those of names, too, where they are nested too deep', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}"b"${'}'.repeat(depth)}`;
    expect(read([nested(256)]).said).toEqual(['b']);
    expect(read([`[${nested(257)},{"c":"d"}]`]).said).toEqual(['a', 'a', 'b', 'd']);
  });

  test('take time that grows with the text only', () => {
    const many = JSON.stringify(Array.from({ length: 200_000 }, () => '\\"'));
    const body = { output: [{ type: 'mcp_call', arguments: many }] };
    const places = placesOf('createModelResponse', 'output', body);
    expect(places).toHaveLength(200_000);
    expect(
      withTexts(
        body,
        places,
        places.map(() => 'x'),
      ),
    ).toEqual({ output: [{ type: 'mcp_call', arguments: JSON.stringify(places.map(() => 'x')) }] });
    expect(read(['{"a":', '['.repeat(1_000_000), '"b"']).said).toEqual(['b']);
  });
});
