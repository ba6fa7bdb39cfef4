import { describe, expect, test } from 'vitest';
import { AppError } from '../../../errors/index.ts';
import { Cancellation } from '../../../lib/cancellation.ts';
import { DEFAULT_JSON_LIMITS } from '../../../lib/json/index.ts';
import { prepareTarget } from '../../../providers/engine/index.ts';
import { sampleCall, sampleProvider, sampleServices } from '../../../providers/engine/testing.ts';
import type { UnaryAnswer } from '../../attempt/map/index.ts';
import type { TryResult } from '../../attempt/retries.ts';
import { collectModels } from './upstream.ts';

const call = sampleCall({ endpoint: 'listModels' });
const page = (body: object, status = 200): TryResult<UnaryAnswer> => ({
  kind: 'answer',
  answer: { status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) },
});

/** Lists the models of a provider whose pages are answered by the script; every page says there is one more. */
async function list(answer: (page: number, path: string) => TryResult<UnaryAnswer>, paged = true) {
  const provider = sampleProvider({
    models: {
      path: '/models',
      ...(paged
        ? {
            read: (body) => {
              const { data, next } = body as { data: { id: string }[]; next?: string };
              return { ok: true, value: { data, ...(next === undefined ? {} : { next }) } };
            },
          }
        : {}),
    },
  });
  const paths: string[] = [];
  const result = await collectModels(
    { call, resolved: { target: prepareTarget(provider, call.fields) } },
    {
      forwarded: {},
      services: sampleServices(),
      signal: new Cancellation(),
      json: DEFAULT_JSON_LIMITS,
      send: async (request) => {
        const { path } = await request();
        paths.push(path);
        return answer(paths.length, path);
      },
    },
  );
  return { result, paths };
}
const idsOf = (result: TryResult<UnaryAnswer>): unknown[] => {
  if (result.kind !== 'answer') throw new Error('expected an answer');
  return JSON.parse(result.answer.bytes.toString()).data.map(({ id }: { id: unknown }) => id);
};

describe('the models of a provider', () => {
  test('are those of all pages', async () => {
    const { result, paths } = await list((n) =>
      page({ data: [{ id: `m${n}` }], ...(n < 3 ? { next: `/models?p=${n}` } : {}) }),
    );
    expect(idsOf(result)).toEqual(['m1', 'm2', 'm3']);
    expect(paths).toEqual(['/v1/models', '/v1/models?p=1', '/v1/models?p=2']);
  });

  test('end somewhere, however many pages there are', async () => {
    const { paths } = await list(() => page({ data: [{ id: 'm' }], next: '/models?again' }));
    expect(paths).toHaveLength(20);
    const large = await list(() => page({ data: Array.from({ length: 6_000 }, () => ({ id: 'm' })), next: '/x' }));
    expect(large.paths).toHaveLength(2);
  });

  test('without a reader are an OpenAI list', async () => {
    expect(idsOf((await list(() => page({ data: [{ id: 'a' }] }), false)).result)).toEqual(['a']);
  });

  test.for<{ rule: string; answer: TryResult<UnaryAnswer>; want: object }>([
    { rule: 'an error status', answer: page({ error: 'x' }, 401), want: { kind: 'answer', answer: { status: 401 } } },
    {
      rule: 'a lost connection',
      answer: { kind: 'error', error: new AppError('UPSTREAM_UNREACHABLE') },
      want: { kind: 'error' },
    },
  ])('are $rule when that is the answer', async ({ answer, want }) => {
    expect((await list((n) => (n === 1 ? page({ data: [{ id: 'a' }], next: '/b' }) : answer))).result).toMatchObject(
      want,
    );
  });

  test('that cannot be read are an invalid response', async () => {
    await expect(list(() => page({ models: 1 }), false)).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
  });
});
