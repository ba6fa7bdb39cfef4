import type { Logger } from '@gatehouse/gateway';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import type { WorkerSettings } from './messages.ts';
import { createSupervisor } from './supervisor.ts';
import { createTestChild, type TestChild } from './testing.ts';

test('a worker is replaced as soon as the system starts processes again', async () => {
  const children: TestChild[] = [];
  let refusals = 0;
  const errors: string[] = [];
  const supervisor = createSupervisor({
    count: 1,
    settings: {} as WorkerSettings, // sent, not read
    state: { connect: () => ({ execute: async () => [], close: () => undefined }) },
    logger: { error: (_: object, text: string) => errors.push(text), info: () => undefined } as unknown as Logger,
    fork: () => {
      if (children.length > 0 && refusals < 2) {
        refusals += 1;
        throw new Error('EAGAIN');
      }
      const child = createTestChild(children.length + 1);
      children.push(child);
      return child;
    },
    wait: async () => undefined,
    events: {
      onLog: () => undefined,
      onReport: () => undefined,
      onUsage: () => undefined,
      onLimits: () => undefined,
      onLogFailed: () => undefined,
      metricsText: async () => '',
      onChange: () => undefined,
      onExit: () => undefined,
      onRestart: () => undefined,
    },
  });
  const started = supervisor.start();
  children[0]?.tell({ type: 'listening', port: 1 });
  await started;
  children[0]?.exit();
  await waitFor(() => supervisor.workers.size > 0);
  expect(errors).toEqual(['Worker ended', 'Worker could not be started', 'Worker could not be started']);
  expect([...supervisor.workers].map(({ id }) => id)).toEqual([2]);
});
