/** A relayed stream that broke inside an event ended in half an event, which SDKs failed to parse before they saw the error. */
import { expect, test } from 'vitest';
import { AppError } from '../../gateway/src/errors/index.ts';
import { createRelayTransform } from '../../gateway/src/wire/transform/index.ts';

test('a stream that breaks inside an event drops that event', () => {
  const relay = createRelayTransform('chat');
  const sent = relay.push(Buffer.from('data: {"a":1}\n\ndata: {"half'));
  expect(String(sent)).toBe('data: {"a":1}\n\n');
  expect(relay.fail(new AppError('UPSTREAM_STREAM_BROKEN'))).toMatch(/^data: \{"error":/);
});

test('a name without its data is dropped, too', () => {
  const relay = createRelayTransform('messages');
  expect(relay.push(Buffer.from('event: message_start\n'))).toBeUndefined();
  expect(relay.fail(new AppError('UPSTREAM_STREAM_BROKEN'))).toMatch(/^event: error\n/);
});
