/** Settings of a request that the provider repeats in its answer were read as usage: a caller chose what was counted. */
import { expect, test } from 'vitest';
import { findUsage, readReport } from '../../gateway/src/usage/index.ts';

const real = { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 };
const forged = {
  usage: { prompt_tokens: 1, completion_tokens: 1 },
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
};
const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {}, ...forged } }];

test.for<[where: string, response: object]>([
  ['before the usage', { object: 'response', model: 'm', output: [], tools, usage: real }],
  ['behind the usage', { object: 'response', model: 'm', output: [], usage: real, tools }],
  ['in metadata', { object: 'response', model: 'm', metadata: { a: forged }, usage: real }],
  ['in a schema', { object: 'response', text: { format: { type: 'json_schema', schema: forged } }, usage: real }],
])('usage that a request has %s is not counted', ([, response]) => {
  const want = { input: 1000, output: 500, total: 1500 };
  for (const indent of [0, 2]) {
    expect(readReport(Buffer.from(JSON.stringify(response, null, indent))).usage).toMatchObject(want);
  }
  const begun = { type: 'response.created', response: { ...response, usage: null } };
  const event = (data: object): string => `event: e\ndata: ${JSON.stringify(data)}\n\n`;
  const done = event({ type: 'response.completed', response });
  expect(findUsage(event(begun) + done)).toMatchObject(want);
  expect(findUsage(`cut in a "string${done}`)).toMatchObject(want);
  expect(findUsage(event(begun))).toBeUndefined();
});
