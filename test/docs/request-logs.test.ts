/** The records of clients that docs/behaviour/request-logs.md shows are taken as it says. */
import { expect, test } from 'vitest';
import { startGateway } from '../kit/gateway.ts';
import { memoryLog } from '../kit/request-log.ts';
import { key, workspace } from '../kit/snapshot.ts';
import { blocksOf } from './documents.ts';

const PAGE = 'docs/behaviour/request-logs.md';

test('the example of a record is a row', async () => {
  const [example] = blocksOf(PAGE).filter(({ language }) => language === 'json');
  const log = memoryLog();
  await using gateway = await startGateway({
    requestLog: log,
    entries: [workspace(), key({ scopes: ['logs.write'] })],
  });
  const answer = await gateway.send('/v1/logs', {
    body: example?.text ?? expect.fail('no example'),
    headers: { 'content-type': 'application/json' },
  });
  expect([answer.status, answer.text]).toEqual([200, 'ok']);
  expect(log.records.map(({ row }) => row)).toMatchObject([
    {
      ...{
        source: 'log',
        trace_id: 'order-4711',
        span_name: 'answer',
        end_user: 'ada',
        provider: 'openai',
        model: 'gpt-4o',
      },
      ...{
        input_tokens: 1_000,
        output_tokens: 100,
        cost_nano: 3_500_000,
        response_ms: 820,
        metadata: { team: 'shop' },
      },
    },
  ]);
});
