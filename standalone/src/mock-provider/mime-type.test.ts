import { expect, test } from 'vitest';
import { toMimeType } from './mime-type.ts';

test.for([
  'text/plain',
  'application/vnd.api+json',
  'text/plain;charset=utf-8',
  'text/plain; charset="utf-8"; format=flowed',
  `text/${'x'.repeat(123)}`,
])('keeps %s', (type) => {
  expect(toMimeType(type)).toBe(type);
});

test.for([
  { rule: 'nothing', type: '' },
  { rule: 'a second header', type: 'text/plain\r\nx: y' },
  { rule: 'a line end', type: 'text/plain\n' },
  { rule: 'letters that no header carries', type: 'text/простой' },
  { rule: 'a parameter that no header carries', type: 'text/plain; a="ж"' },
  { rule: 'one part', type: 'text' },
  { rule: 'more than 128 characters', type: `text/${'x'.repeat(124)}` },
])('replaces $rule', ({ type }) => {
  expect(toMimeType(type)).toBe('application/octet-stream');
});
