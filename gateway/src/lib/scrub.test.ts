import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AUTOMATA } from './automata.ts';
import { compileLiteralScrubber, compileScrubber, joinScrubbers, type Scrubber } from './scrub.ts';

const SECRET = 'sk "a/b"&ü+<1>';
const everyUnit = (text: string, write: (code: string) => string): string =>
  text.replace(/[\s\S]/g, (unit) => write(unit.charCodeAt(0).toString(16)));
const scrubber = compileScrubber([SECRET]);

describe('a secret is taken out', () => {
  test.for([
    { as: 'it is', text: SECRET },
    { as: 'JSON', text: JSON.stringify({ a: SECRET }) },
    { as: 'JSON with escaped slashes', text: JSON.stringify(SECRET).replaceAll('/', '\\/') },
    { as: 'a URL', text: `?k=${encodeURIComponent(SECRET)}` },
    { as: 'a URL in lower case', text: encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase()) },
    { as: 'a form', text: encodeURIComponent(SECRET).replaceAll('%20', '+') },
    {
      as: 'HTML',
      text: SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    },
    {
      as: 'JSON with every character escaped',
      text: `"${everyUnit(SECRET, (code) => `\\u${code.padStart(4, '0')}`)}"`,
    },
    { as: 'HTML numbers', text: everyUnit(SECRET, (code) => `&#x${code};`) },
    { as: 'base64', text: Buffer.from(SECRET).toString('base64') },
    { as: 'base64 of URLs', text: Buffer.from(SECRET).toString('base64url') },
  ])('written as $as', ({ text }) => {
    const clean = scrubber.text(`before ${text} after`);
    expect(clean).toMatch(/^before .*\[redacted\].* after$/);
    for (const part of ['sk ', 'a/b', 'a%2F', 'a\\/b']) expect(clean).not.toContain(part);
  });

  test('of basic authentication, whatever stands before and behind it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, behind) => {
        const basic = Buffer.from(before + SECRET + behind).toString('base64');
        expect(scrubber.text(basic)).toContain('[redacted]');
      }),
    );
  });

  test('and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(scrubber.bytes(buffer)).toBe(buffer);
      }),
    );
  });

  test('whole where one value is a part of another', () => {
    expect(compileScrubber(['secret', 'secret-and-more']).text('a secret-and-more b')).toBe('a [redacted] b');
  });

  test('whole where it overlaps itself or another one', () => {
    expect(compileScrubber(['abcabc']).text('xabcabcabcx')).toBe('x[redacted]x');
    expect(compileScrubber(['first-second', 'second-third']).text('a first-second-third b')).toBe('a [redacted] b');
  });

  test('and what stands beside its escapes stays', () => {
    expect(compileScrubber(['secret']).text('\\n"a%62sec\\u0072et%20b" \\u0041')).toBe(
      '\\n"a%62[redacted]%20b" \\u0041',
    );
    expect(compileScrubber(['a b+c']).text('x=a+b%2Bc&y=a%20b%2bc')).toBe('x=[redacted]&y=[redacted]');
  });

  test('however often it stands there', () => {
    const values = Array.from({ length: 16 }, (_, at) => 'a'.repeat(16 + at));
    const text = `${'a'.repeat(220_000)}%61`;
    expect(compileScrubber(values).text(text)).not.toContain('aaaaaaaaaaaaaaaa');
    expect(compileScrubber(['secret']).text('secret '.repeat(150_000))).toBe('[redacted]');
    expect(compileScrubber(['secret']).text('secret '.repeat(50_000))).toBe('[redacted] '.repeat(50_000));
  });

  test('unless it is as short as a word', () => {
    expect(compileScrubber(['', 'abc']).text('abc')).toBe('abc');
  });
});

describe('of values that overlap, stand within each other or are written with escapes', () => {
  const values = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 12 }), {
    minLength: 1,
    maxLength: 5,
  });
  const codeOf = (char: string, length = 0) => char.charCodeAt(0).toString(16).padStart(length, '0');
  const kinds: Readonly<Record<string, (char: string) => string>> = {
    plain: (char) => char,
    json: (char) => `\\u${codeOf(char, 4)}`,
    url: (char) => `%${codeOf(char)}`,
    decimal: (char) => `&#${String(char.charCodeAt(0)).padStart(18, '0')};`,
    hex: (char) => `&#x${codeOf(char, 4)};`,
  };
  const isHtml = (kind: string) => kind === 'decimal' || kind === 'hex';
  const written = fc.array(
    fc.record({
      char: fc.constantFrom('a', 'b', 'a', 'b', '|'),
      kind: fc.constantFrom(...Object.keys(kinds), 'plain'),
    }),
    { maxLength: 60 },
  );
  type Written = readonly { readonly char: string; readonly kind: string }[];
  const textOf = (units: Written) => units.map(({ char, kind }) => kinds[kind]?.(char)).join('');

  /** Which of them belong to a value, read with one kind of escapes. */
  const hiddenIn = (units: Written, isRead: (kind: string) => boolean, given: readonly string[]): Set<number> => {
    const plain = units.map(({ char, kind }) => (kind === 'plain' || isRead(kind) ? char : '.')).join('');
    const hidden = new Set<number>();
    for (const value of given)
      for (let at = 0; at < plain.length; at += 1)
        if (plain.startsWith(value, at)) for (let of = 0; of < value.length; of += 1) hidden.add(at + of);
    return hidden;
  };

  test('all that belongs to one is taken out, and nothing else', () => {
    fc.assert(
      fc.property(values, written, (given, units) => {
        const hidden = new Set(
          ['json', 'url', 'html'].flatMap((name) => [
            ...hiddenIn(units, (kind) => kind === name || (name === 'html' && isHtml(kind)), given),
          ]),
        );
        // Escapes of JSON that follow upon each other are one: a pair of them may be one character.
        const isJson = (at: number) => units[at]?.kind === 'json';
        for (const at of [...hidden].filter(isJson)) {
          for (let before = at - 1; isJson(before); before -= 1) hidden.add(before);
          for (let behind = at + 1; isJson(behind); behind += 1) hidden.add(behind);
        }
        const kept = units.map((unit, at) => (hidden.has(at) ? '\0' : textOf([unit]))).join('');
        const clean = compileScrubber(given).text(textOf(units));
        expect(clean).toBe(kept.replace(/\0+/g, '[redacted]'));
        for (const value of given) expect(clean).not.toContain(value);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('scrubbers that are joined', () => {
  const [one, two] = [compileScrubber(['first-second']), compileScrubber(['second-third'])];

  test('take out values that overlap', () => {
    const joined = joinScrubbers([one, two, compileLiteralScrubber(['-third-fourth'])]);
    expect(joined.text('a first-second-third-fourth b, second%2dthird')).toBe('a [redacted] b, [redacted]');
    const given = ['first-second', 'second-third', '-third-fourth', 'none'];
    expect(given.map(joined.mayFind)).toEqual([true, true, true, false]);
    expect(joinScrubbers([joined, compileScrubber(['fourth b'])]).text('first-second-third-fourth b')).toBe(
      '[redacted]',
    );
  });

  test('of which another one was made elsewhere, each have their turn', () => {
    const own: Scrubber = {
      bytes: (bytes) => Buffer.from(own.text(bytes.toString())),
      text: (text) => text.replaceAll('own', '[own]'),
      mayFind: (text) => text.includes('own'),
    };
    const joined = joinScrubbers([one, own]);
    expect(joined.text('own first-second')).toBe('[own] [redacted]');
    expect(joined.bytes(Buffer.from('own first-second')).toString()).toBe('[own] [redacted]');
    expect(['own', 'first-second', 'other'].map(joined.mayFind)).toEqual([true, true, false]);
  });

  test('are that one where there is one, and find nothing where there is none', () => {
    expect(joinScrubbers([one, one])).toBe(one);
    expect(joinScrubbers([]).text('first-second')).toBe('first-second');
  });
});

test('nothing is made to look through short texts that hold nothing', () => {
  const joined = joinScrubbers([compileScrubber(['first-secret']), compileScrubber(['second-secret'])]);
  const made = () => AUTOMATA.lasting.made + AUTOMATA.passing.made;
  const before = made();
  const text = Buffer.from(`{"message":"Too many requests","code":"%41"}${'.'.repeat(1_000)}`);
  expect(joined.bytes(text)).toBe(text);
  expect(made()).toBe(before);
  expect(joined.text('a first-secret b second%2dsecret c')).toBe('a [redacted] b [redacted] c');
  expect(made()).toBe(before + 1);
});

test('values that begin in the same way are found among many that are looked for as they are', () => {
  const values = Array.from({ length: 2_000 }, (_, at) => `secret-${1_000 + at}`);
  const scrubber = compileLiteralScrubber(values);
  expect(scrubber.text(`${values.join(' ')} secret-999`)).toBe(`${'[redacted] '.repeat(2_000)}secret-999`);
  expect([scrubber.mayFind(`a ${values[1_999]}`), scrubber.mayFind('secret-999')]).toEqual([true, true]);
  expect(scrubber.text('secret%2d1000')).toBe('secret%2d1000');
});

describe('whether a text may hold a value', () => {
  const unit = fc.constantFrom(
    (char: string) => char,
    (char: string) => encodeURIComponent(char),
    (char: string) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
    (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    (char: string) => `&#${char.charCodeAt(0)};`,
    (char: string) => `&#x${char.charCodeAt(0).toString(16)};`,
  );
  const value = fc.stringMatching(/^[ -~]{4,24}$/);

  test.for([
    { as: 'numbers of HTML with zeros before them', write: (code: number) => `&#${'0'.repeat(16)}${code};` },
    { as: 'the same in hex', write: (code: number) => `&#X${'0'.repeat(16)}${code.toString(16)};` },
    { as: 'both kinds', write: (code: number) => (code % 2 === 0 ? `&#${code};` : `&#x${code.toString(16)};`) },
    {
      as: 'JSON that is no escape where it looks like one',
      write: (code: number) => ({ 92: '\\\\', 101: '\\u0065' })[code] ?? String.fromCharCode(code),
    },
  ])('is told where it is written as $as', ({ write }) => {
    const secret = 'x\\u0061ecret-0123456789';
    const scrubber = compileScrubber([secret]);
    const text = `said ${[...secret].map((char) => write(char.charCodeAt(0))).join('')}.`;
    expect(scrubber.text(text)).toBe('said [redacted].');
    expect(scrubber.mayFind(text)).toBe(true);
  });

  test('is not told of numbers that are longer than those that are read', () => {
    const text = [...'secret'].map((char) => `&#${'0'.repeat(17)}${char.charCodeAt(0)};`).join('');
    const scrubber = compileScrubber(['secret']);
    expect([scrubber.mayFind(text), scrubber.text(text)]).toEqual([false, text]);
  });

  test('is told of every text that something is taken out of', () => {
    fc.assert(
      fc.property(value, unit, fc.string(), fc.string(), (secret, write, before, after) => {
        const scrubber = compileScrubber([secret]);
        const text = before + [...secret].map(write).join('') + after;
        if (scrubber.text(text) !== Buffer.from(text).toString()) expect(scrubber.mayFind(text)).toBe(true);
      }),
    );
  });

  test('is not told of other texts, whatever their escapes', () => {
    const scrubber = compileScrubber(['sk-0123456789abcdef']);
    expect(scrubber.mayFind(`${'\\u0041%41&#65;&#x41;+\\n'.repeat(1_000)}0123456789abcde`)).toBe(false);
    expect(compileScrubber([]).mayFind('any')).toBe(false);
  });
});
