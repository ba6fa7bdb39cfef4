import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Family, familyOf, isLegacyChat, readModelId, withoutRegion } from './index.ts';

describe('a model id', () => {
  const arn = (resource: string, partition = 'aws') => `arn:${partition}:bedrock:eu-west-1:123456789012:${resource}`;

  test.for<{ model: string; id?: string; foundation?: string; family: Family; profile?: boolean }>([
    { model: 'anthropic.claude-v2:1', foundation: 'anthropic.claude-v2:1', family: 'anthropic' },
    {
      model: 'anthropic.claude-v2%3A1',
      id: 'anthropic.claude-v2:1',
      foundation: 'anthropic.claude-v2:1',
      family: 'anthropic',
    },
    { model: 'us.meta.llama3-1-8b-instruct-v1:0', foundation: 'us.meta.llama3-1-8b-instruct-v1:0', family: 'meta' },
    { model: 'global.anthropic.claude-x', foundation: 'global.anthropic.claude-x', family: 'anthropic' },
    { model: 'us-gov.amazon.titan', foundation: 'us-gov.amazon.titan', family: 'amazon' },
    { model: 'deepseek.r1-v1:0', foundation: 'deepseek.r1-v1:0', family: 'other' },
    { model: arn('foundation-model/cohere.embed-v3'), foundation: 'cohere.embed-v3', family: 'cohere' },
    {
      model: encodeURIComponent(arn('foundation-model/ai21.j2-mid-v1')),
      id: arn('foundation-model/ai21.j2-mid-v1'),
      foundation: 'ai21.j2-mid-v1',
      family: 'ai21',
    },
    {
      model: arn('inference-profile/eu.anthropic.claude-x', 'aws-us-gov'),
      foundation: 'eu.anthropic.claude-x',
      family: 'anthropic',
    },
    { model: arn('application-inference-profile/abc123'), family: 'other', profile: true },
    { model: arn('imported-model/abc123'), family: 'other' },
    { model: arn('provisioned-model/abc123'), family: 'other' },
    { model: arn('default-prompt-router/anthropic.claude:1'), family: 'other' },
    { model: '100%', foundation: '100%', family: 'other' },
  ])('$model is read as family $family', ({ model, id = model, foundation, family, profile = false }) => {
    const read = readModelId(model);
    expect(read).toEqual({ id, foundation, profile: profile ? id : undefined });
    expect(familyOf(read.foundation)).toBe(family);
  });

  test('loses one region prefix', () => {
    expect(['us.anthropic.x', 'apac.amazon.x', 'anthropic.x', 'us.eu.x'].map(withoutRegion)).toEqual([
      'anthropic.x',
      'amazon.x',
      'anthropic.x',
      'eu.x',
    ]);
  });

  test.for([
    ['cohere.command-text-v14', true],
    ['cohere.command-light-text-v14', true],
    ['ai21.j2-mid-v1', true],
    ['ai21.j2-ultra-v1', true],
    ['cohere.command-r-v1:0', false],
    [undefined, false],
  ] as const)('%s chats by text completion: %s', ([foundation, want]) => {
    expect(isLegacyChat(foundation)).toBe(want);
  });

  test('is read without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string().map(arn)), (model) => void familyOf(readModelId(model).foundation)),
    );
  });
});
