import { expect, test } from 'vitest';
import { type ParamsCall, paramsAsked } from './params-asked.ts';

const clean = (text: string): string => text.replaceAll('canary', '[redacted]');

/** What is known of it. */
function asked(params: ParamsCall['params'], generates: ParamsCall['operation']['generates'] = 'text') {
  const found = paramsAsked({ operation: generates === undefined ? {} : { generates }, params, clean });
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

test.for([
  { rule: 'nothing', params: { model: 'm', messages: [] }, want: {} },
  {
    rule: 'numbers',
    params: {
      max_tokens: 7,
      temperature: 0.5,
      top_p: 1,
      top_k: 3,
      frequency_penalty: -1,
      presence_penalty: 2,
      seed: 4,
    },
    want: { maxTokens: 7, temperature: 0.5, topP: 1, topK: 3, frequencyPenalty: -1, presencePenalty: 2, seed: 4 },
  },
  {
    rule: 'a bound of tokens by its later name',
    params: { max_completion_tokens: 9, max_tokens: 7 },
    want: { maxTokens: 9 },
  },
  { rule: 'a bound of tokens of responses', params: { max_output_tokens: 8 }, want: { maxTokens: 8 } },
  {
    rule: 'no number that is none, or that does not fit',
    params: { temperature: '1', seed: 1e300, top_k: Number.NaN, top_p: null, max_tokens: Number.POSITIVE_INFINITY },
    want: {},
  },
  { rule: 'one text', params: { stop: 'END' }, want: { stop: ['END'] } },
  { rule: 'texts of messages', params: { stop_sequences: ['a', 7, '', 'b'] }, want: { stop: ['a', 'b'] } },
  {
    rule: 'as many texts as are shown, cut',
    params: { stop: Array.from({ length: 40 }, () => 'x'.repeat(1_000)) },
    want: { stop: Array.from({ length: 16 }, () => 'x'.repeat(256)) },
  },
  { rule: 'no text that is too long to be cleaned', params: { stop: ['x'.repeat(2_000)] }, want: {} },
  { rule: 'texts without secrets', params: { stop: ['a canary'] }, want: { stop: ['a [redacted]'] } },
  { rule: 'one answer, which is the usual number', params: { n: 1 }, want: {} },
  { rule: 'several answers', params: { n: 3 }, want: { choices: 3 } },
  { rule: 'an encoding', params: { encoding_format: 'base64' }, want: { encodings: ['base64'] } },
  { rule: 'no encoding that is no name', params: { encoding_format: 'a b' }, want: {} },
  { rule: 'JSON', params: { response_format: { type: 'json_schema' } }, want: { output: 'json' } },
  { rule: 'JSON of responses', params: { text: { format: { type: 'json_object' } } }, want: { output: 'json' } },
  { rule: 'text', params: { response_format: { type: 'text' } }, want: { output: 'text' } },
  { rule: 'no format that is none', params: { response_format: 'b64_json', text: null }, want: {} },
  { rule: 'a conversation', params: { conversation: 'conv_1' }, want: { conversation: 'conv_1' } },
  { rule: 'a conversation as an object', params: { conversation: { id: 'conv_2' } }, want: { conversation: 'conv_2' } },
])('a call asks with $rule', ({ params, want }) => {
  expect(asked(params)).toEqual(want);
});

test.for([
  { generates: 'images', want: { output: 'image' } },
  { generates: 'speech', want: { output: 'speech' } },
  { generates: 'vectors', want: {} },
] as const)('what generates $generates is asked for it', ({ generates, want }) => {
  expect(asked({ response_format: { type: 'text' } }, generates)).toEqual(want);
});
