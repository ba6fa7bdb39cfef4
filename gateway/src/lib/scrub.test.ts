import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileScrubber } from './scrub.ts';

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
