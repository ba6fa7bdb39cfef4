import { describe, expect, test } from 'vitest';
import { compileTemplate, renderTemplate } from './template.ts';

const VALUES: ReadonlyMap<string, string> = new Map([
  ['region', 'eu'],
  ['empty', ''],
]);
const render = (text: string): unknown => {
  const result = renderTemplate(compileTemplate(text), (key) => VALUES.get(key));
  return result.ok ? result.value : { missing: result.error };
};

describe('a template', () => {
  test.for([
    ['is text without places', 'https://x/v1', 'https://x/v1'],
    ['fills places', 'https://{region}.x/{region}', 'https://eu.x/eu'],
    ['falls back', '{host|https://d.example/v1}/p', 'https://d.example/v1/p'],
    ['prefers the value to the fallback', '{region|us}', 'eu'],
    ['may fall back to nothing', 'a{x|}b', 'ab'],
    ['keeps what a value is, empty or not', '[{empty}]', '[]'],
    ['leaves other braces alone', '{"a":{region}}', '{"a":eu}'],
    ['names the first place that stays empty', '{region}{x}{y}', { missing: 'x' }],
  ])('%s', ([, text, want]) => {
    expect(render(String(text))).toEqual(want);
  });

  test('knows its places, and its text when it has none', () => {
    expect(compileTemplate('a{b|c}{d}')).toMatchObject({ keys: ['b', 'd'], constant: undefined });
    expect(compileTemplate('a')).toMatchObject({ keys: [], constant: 'a' });
  });
});
