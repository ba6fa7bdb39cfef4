import { expect, test } from 'vitest';
import { escaped } from './lines.ts';

test.for([
  ['{"a":"b c"}', '{"a":"b c"}'],
  ['{"a":"b\\n"}', '{"a":"b\\\\n"}'],
  ['\\N', '\\\\N'],
  ['{\r\n\t"a":"\\\\t"}', '{\\r\\n\\t"a":"\\\\\\\\t"}'],
] as const)('%j is %j where tabs and line feeds separate', ([text, expected]) => {
  expect(escaped(text)).toBe(expected);
});
