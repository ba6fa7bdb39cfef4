import { expect, test } from 'vitest';
import { toAscii } from './ascii.ts';

const evaluate = (expression: string): unknown => new Function(`return ${expression}`)();

test.for([
  { rule: 'a character', source: "'é — ✅'" },
  { rule: 'one behind a slash of its own', source: "'\\—'" },
  { rule: 'one behind an escaped slash', source: "'\\\\—'" },
  { rule: 'one in a template', source: '`a${' + '1}—`' },
  { rule: 'one in a pattern', source: "/[—✅]/u.test('✅')" },
  { rule: 'one in a name', source: '(() => { const é = 1; return é; })()' },
])('$rule means the same when it is an escape', ({ source }) => {
  const ascii = toAscii(source);
  expect(ascii).toMatch(/^[\0-\x7f]*$/);
  expect(evaluate(ascii)).toEqual(evaluate(source));
});

test('every character means the same, with and without slashes before it', () => {
  const units = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  for (const slashes of ['', '\\', '\\\\']) {
    const text = units.map((unit) => slashes + unit).join('');
    expect(JSON.parse(toAscii(JSON.stringify(text))) === text).toBe(true);
  }
});
