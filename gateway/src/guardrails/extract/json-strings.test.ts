/** Strings of JSON texts in answers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonStrings, placesOf, withTexts } from './index.ts';

test('changed arguments stay JSON, with all that is no string of theirs', () => {
  const item = (text: string) => ({ output: [{ type: 'mcp_call', arguments: text }] });
  const body = item('{ "a" : "b\\u0021", "c":[1, "d"], "e":"" }');
  const changed = withTexts(body, placesOf('createModelResponse', 'output', body), ['"x"\n', undefined]);
  expect(changed).toEqual(item('{ "a" : "\\"x\\"\\n", "c":[1, "d"], "e":"" }'));
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
