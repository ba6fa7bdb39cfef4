import { describe, expect, test } from 'vitest';
import { estimateInput, estimateUsage, readUsage } from './index.ts';

const event = (content: string): string =>
  `data: {"id":"x","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;

describe('the usage of an answer that was not counted', () => {
  test('is its text and the bytes of the request, four to a token', () => {
    const sample = event('abcdefgh').repeat(10);
    const { input, output, total } = estimateUsage({
      requestBytes: 41,
      sample,
      bytes: sample.length,
      known: undefined,
    });
    expect({ input, output, total }).toEqual({ input: 11, output: 20, total: 31 });
  });

  test('is that of the whole where the sample is a part of it', () => {
    const sample = event('abcdefgh');
    const { output } = estimateUsage({ requestBytes: 0, sample, bytes: sample.length * 100, known: undefined });
    expect(output).toBe(200);
  });

  test.for([
    { format: 'messages', text: '{"type":"content_block_delta","delta":{"type":"text_delta","text":"abcdefgh"}}' },
    { format: 'responses', text: '{"type":"response.output_text.delta","delta":"abcdefgh"}' },
    { format: 'tool calls', text: '{"function":{"arguments":"{\\"a\\":1}"}}' },
  ])('has the text of $format', ({ text }) => {
    const { output } = estimateUsage({ requestBytes: 0, sample: text, bytes: text.length, known: undefined });
    expect(output).toBeGreaterThanOrEqual(2);
  });

  test('is what the provider counted, unless much more was received', () => {
    const sample = event('abcdefgh').repeat(10);
    const of = (output_tokens: number) =>
      estimateUsage({
        ...{ requestBytes: 400, sample, bytes: sample.length },
        known: readUsage({ input_tokens: 7, output_tokens }),
      });
    expect(of(1)).toMatchObject({ input: 7, output: 20 });
    expect(of(15)).toMatchObject({ input: 7, output: 15, total: 22 });
  });

  test('is the input alone where nothing was said, or nothing is generated', () => {
    expect(estimateUsage({ requestBytes: 8, sample: '', bytes: 0, known: undefined })).toMatchObject({
      input: 2,
      output: 0,
    });
    expect(estimateInput({ requestBytes: 8 })).toMatchObject({ input: 2, output: 0, total: 2 });
  });
});
