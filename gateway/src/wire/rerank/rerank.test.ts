import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { documentTexts, type RerankShape, readRerank, textsOf, tokenUsage, unitUsage } from './index.ts';

const context = (params: JsonObject): WireContext => ({
  provider: 'p',
  model: 'm',
  strict: true,
  params,
  now: () => 0,
  newId: (prefix) => prefix,
});
const SHAPE: RerankShape = { results: 'results', score: 'relevance_score', usage: () => undefined };

describe('documents to rank', () => {
  test('are texts, or objects with a text', () => {
    expect(textsOf({ documents: ['a', { text: 'b', id: 1 }] })).toEqual(['a', 'b']);
    expect(documentTexts({ documents: ['a', { text: 'b' }], top_n: 1 })).toEqual({ documents: ['a', 'b'], top_n: 1 });
  });

  test('are sent as they came where all are texts', () => {
    const params = { documents: ['a', 'b'] };
    expect(documentTexts(params)).toBe(params);
  });

  test.for([
    { documents: undefined, param: 'documents' },
    { documents: 'a', param: 'documents' },
    { documents: [], param: 'documents' },
    { documents: ['a', 7], param: 'documents[1]' },
    { documents: [{ title: 'a' }], param: 'documents[0]' },
    { documents: [{ text: 7 }], param: 'documents[0]' },
  ])('are refused with their place: $param of $documents', ({ documents, param }) => {
    expect(() => textsOf({ documents })).toThrow(expect.objectContaining({ code: 'PARAMETER_INVALID', param }));
  });
});

describe('an answer with ranked documents', () => {
  const body = {
    id: 'r1',
    model: 'm-1',
    results: [
      { index: 1, relevance_score: 0.2 },
      { index: 0, relevance_score: 0.9 },
    ],
  };

  test('is sorted by score, and names its provider', () => {
    expect(readRerank(SHAPE, body, context({ documents: ['a', 'b'] }))).toEqual({
      ok: true,
      value: {
        object: 'list',
        id: 'r1',
        results: [
          { index: 0, relevance_score: 0.9 },
          { index: 1, relevance_score: 0.2 },
        ],
        model: 'm-1',
        provider: 'p',
      },
    });
  });

  test('has the documents of the call where they are asked for and the provider sends none', () => {
    const read = readRerank(SHAPE, body, context({ documents: ['a', { text: 'b' }], return_documents: true }));
    expect(read).toMatchObject({ value: { results: [{ document: { text: 'a' } }, { document: { text: 'b' } }] } });
  });

  test.for([
    { rule: 'is no object', given: [] },
    { rule: 'has no results', given: { data: [] } },
    { rule: 'has a result without a score', given: { results: [{ index: 0 }] } },
    { rule: 'has a result without an index', given: { results: [{ relevance_score: 1 }] } },
    { rule: 'has a result that is no object', given: { results: [null] } },
  ])('that $rule is not read', ({ given }) => {
    expect(readRerank(SHAPE, given, context({})).ok).toBe(false);
  });

  test('says what was used, by units or by tokens', () => {
    expect([unitUsage(2), unitUsage(undefined)]).toEqual([{ search_units: 2 }, undefined]);
    expect(tokenUsage({ usage: { total_tokens: 7 } })).toEqual({ prompt_tokens: 7, total_tokens: 7 });
    expect(tokenUsage({})).toBeUndefined();
  });

  test('whatever comes is read or refused, never thrown', () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        expect(typeof readRerank(SHAPE, given, context({ documents: ['a'] })).ok).toBe('boolean');
      }),
    );
  });
});
