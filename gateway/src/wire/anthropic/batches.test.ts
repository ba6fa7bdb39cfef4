import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { fromBatchResult, fromMessageBatch, fromMessageBatches, hasResults } from './batches.ts';
import { fromDeletedFile, fromFileList, fromFileMetadata } from './files.ts';
import { ctx } from './testing.ts';

const COUNTS = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
const batch = (more: object = {}) => ({
  id: 'msgbatch_1',
  type: 'message_batch',
  processing_status: 'in_progress',
  request_counts: { ...COUNTS, processing: 3 },
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-01-03T03:04:05Z',
  ended_at: null,
  cancel_initiated_at: null,
  results_url: null,
  ...more,
});
const CREATED = 1_767_323_045;

describe('a message batch', () => {
  test('that runs has its counts, and times in seconds', () => {
    expect(unwrap(fromMessageBatch(batch()))).toEqual({
      id: 'msgbatch_1',
      object: 'batch',
      endpoint: '/v1/chat/completions',
      errors: null,
      input_file_id: null,
      completion_window: '24h',
      status: 'in_progress',
      output_file_id: null,
      error_file_id: null,
      created_at: CREATED,
      in_progress_at: CREATED,
      expires_at: CREATED + 86_400,
      finalizing_at: null,
      completed_at: null,
      failed_at: null,
      expired_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 3, completed: 0, failed: 0 },
      metadata: null,
    });
  });

  const ended = { processing_status: 'ended', ended_at: '2026-01-02T03:04:06Z', results_url: 'https://h/results' };

  test.for([
    {
      rule: 'completed',
      counts: { succeeded: 2, errored: 1 },
      want: { status: 'completed', completed_at: CREATED + 1 },
    },
    {
      rule: 'cancelled',
      counts: { succeeded: 1, canceled: 2 },
      want: { status: 'cancelled', cancelled_at: CREATED + 1 },
    },
    {
      rule: 'expired',
      counts: { succeeded: 1, canceled: 1, expired: 1 },
      want: { status: 'expired', expired_at: CREATED + 1 },
    },
  ])('that has ended is $rule, and is the file of its output', ({ counts, want }) => {
    const { succeeded } = counts;
    expect(unwrap(fromMessageBatch(batch({ ...ended, request_counts: { ...COUNTS, ...counts } })))).toMatchObject({
      ...want,
      output_file_id: 'msgbatch_1',
      request_counts: { total: 3, completed: succeeded, failed: 3 - succeeded },
    });
  });

  test('that is cancelled is not so yet', () => {
    const cancelling = batch({ processing_status: 'canceling', cancel_initiated_at: '2026-01-02T03:04:07Z' });
    expect(unwrap(fromMessageBatch(cancelling))).toMatchObject({ status: 'cancelling', cancelling_at: CREATED + 2 });
  });

  test('has results once it has ended, and until they are archived', () => {
    expect([batch(), batch(ended), batch({ ...ended, results_url: null })].map(hasResults)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('is one of a page', () => {
    const page = { data: [batch(), { odd: true }, 1], has_more: true, first_id: 'msgbatch_1', last_id: 'x' };
    expect(unwrap(fromMessageBatches(page))).toMatchObject({
      ...{ object: 'list', has_more: true, first_id: 'msgbatch_1', last_id: 'x' },
      data: [{ id: 'msgbatch_1', object: 'batch' }],
    });
  });

  test.for([undefined, [], {}, { data: {} }])('is not read from %j', (body) => {
    expect([fromMessageBatch(body).ok, fromMessageBatches(body).ok]).toEqual([false, false]);
  });
});

describe('a result', () => {
  const message = {
    id: 'msg_1',
    model: 'claude-x',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 1 },
  };

  test('that succeeded is a chat completion', () => {
    const read = unwrap(fromBatchResult({ custom_id: 'a', result: { type: 'succeeded', message } }, ctx));
    expect(read).toMatchObject({
      customId: 'a',
      outcome: {
        requestId: 'msg_1',
        body: {
          object: 'chat.completion',
          model: 'claude-x',
          usage: { total_tokens: 4 },
          choices: [{ message: { content: 'Hi' } }],
        },
      },
    });
  });

  const error = { type: 'invalid_request_error', message: 'max_tokens: Field required' };

  test.for([
    {
      result: { type: 'errored', error: { type: 'error', error } },
      want: { code: error.type, message: error.message },
    },
    { result: { type: 'errored', error }, want: { code: error.type, message: error.message } },
    { result: { type: 'errored' }, want: { code: 'api_error', message: 'The request failed' } },
    { result: { type: 'canceled' }, want: { code: 'batch_cancelled', message: expect.any(String) } },
    { result: { type: 'expired' }, want: { code: 'batch_expired', message: expect.any(String) } },
  ])('that has not is an error: $result', ({ result, want }) => {
    expect(unwrap(fromBatchResult({ custom_id: 'a', result }, ctx)).outcome).toEqual({ error: want });
  });

  test.for([undefined, {}, { custom_id: 'a' }, { custom_id: 'a', result: { type: 'succeeded' } }])(
    'is not read from %j',
    (line) => {
      expect(fromBatchResult(line, ctx).ok).toBe(false);
    },
  );
});

describe('a file', () => {
  const file = {
    id: 'file_1',
    type: 'file',
    filename: 'a.pdf',
    mime_type: 'application/pdf',
    size_bytes: 9,
    created_at: '2026-01-02T03:04:05Z',
  };
  const want = {
    ...{ id: 'file_1', object: 'file', bytes: 9, created_at: CREATED, filename: 'a.pdf' },
    ...{ purpose: 'user_data', status: 'processed', status_details: null },
  };

  test('is one of OpenAI', () => {
    expect(unwrap(fromFileMetadata(file))).toEqual(want);
    expect(unwrap(fromFileList({ data: [file, {}], has_more: false, first_id: 'file_1' }))).toEqual({
      ...{ object: 'list', data: [want], has_more: false, first_id: 'file_1', last_id: null },
    });
    expect(unwrap(fromDeletedFile({ id: 'file_1', type: 'file_deleted' }))).toEqual({
      id: 'file_1',
      object: 'file',
      deleted: true,
    });
  });

  test.for([undefined, {}, { data: 1 }])('is not read from %j', (body) => {
    expect([fromFileMetadata(body), fromFileList(body), fromDeletedFile(body)].map(({ ok }) => ok)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
