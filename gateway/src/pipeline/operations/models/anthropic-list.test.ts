import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAnthropicList } from './anthropic-list.ts';

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

const IDS = ['a', 'b', 'c', 'd', 'e'];
const list = (query: string, ids: readonly string[] = IDS): Page =>
  toAnthropicList({ data: ids.map((id) => ({ id })), displayNames: new Map(), query }) as Page; // its documented shape
const idsOf = ({ data }: Page): string => data.map(({ id }) => id).join('');

describe('a list of models for clients of Anthropic', () => {
  test('has their entries', () => {
    const data = [
      { id: 'm1', object: 'model', created: 1_700_000_000, owned_by: 'x' },
      { id: 'm2', created: 'soon' },
      { id: 'm3', created: 1e20 },
    ];
    expect(toAnthropicList({ data, displayNames: new Map([['m1', 'Model One']]), query: '' })).toEqual({
      data: [
        { type: 'model', id: 'm1', display_name: 'Model One', created_at: '2023-11-14T22:13:20Z' },
        { type: 'model', id: 'm2', display_name: 'm2', created_at: '1970-01-01T00:00:00Z' },
        { type: 'model', id: 'm3', display_name: 'm3', created_at: '1970-01-01T00:00:00Z' },
      ],
      has_more: false,
      first_id: 'm1',
      last_id: 'm3',
    });
  });

  test.for([
    { query: '', want: 'abcde', more: false },
    { query: 'limit=2', want: 'ab', more: true },
    { query: 'limit=2&after_id=b', want: 'cd', more: true },
    { query: 'limit=2&after_id=d', want: 'e', more: false },
    { query: 'after_id=e', want: '', more: false },
    { query: 'after_id=gone', want: '', more: false },
    { query: 'limit=2&before_id=e', want: 'cd', more: true },
    { query: 'limit=9&before_id=c', want: 'ab', more: false },
    { query: 'before_id=a', want: '', more: false },
    { query: 'after_id=a&before_id=d&limit=1', want: 'b', more: true },
  ])('is paged: ?$query', ({ query, want, more }) => {
    const page = list(query);
    expect([idsOf(page), page.has_more]).toEqual([want, more]);
    expect([page.first_id, page.last_id]).toEqual([want[0] ?? null, want.at(-1) ?? null]);
  });

  test('is read whole by following its pages', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[\w@/.-]{1,12}$/), { maxLength: 30 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 9 }), (ids, limit) => {
        const seen: string[] = [];
        for (let after: string | null = null, more = true; more; ) {
          const query: string = new URLSearchParams({
            limit: String(limit),
            ...(after === null ? {} : { after_id: after }),
          }).toString();
          const page = list(query, ids);
          seen.push(...page.data.map(({ id }) => id));
          [after, more] = [page.last_id, page.has_more];
        }
        expect(seen).toEqual(ids);
      }),
    );
  });

  test.for(['0', '1001', '-1', '1.5', 'many', ''])('refuses a limit of %j', (limit) => {
    expect(() => list(`limit=${limit}`)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_INVALID', param: 'limit' }),
    );
  });
});
