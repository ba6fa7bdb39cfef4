/** Which request of a log `gatehouse replay TRACE` makes the decision about, wherever the log is kept. */
import type { LogRow } from '@gatehouse/crds/logs';
import { expect, test } from 'vitest';
import type { runInTest } from '../../../standalone/src/cli/testing.ts';
import { logRow } from '../../kit/log-row.ts';

const START = Date.UTC(2026, 0, 31, 12);

const API = 'apiVersion: gatehouse.dev/v1alpha1';
/** A workspace with a key. */
export const RESOURCES = `
${API}
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
---
apiVersion: v1
kind: Secret
metadata: { name: app-key, namespace: team-a }
stringData: { key: gwk_app_0123456789abcdef0123456789 }
---
${API}
kind: ApiKey
metadata: { name: app, namespace: team-a }
spec:
  displayName: App
  type: workspace-service
  scopes: [completions.write]
  secretRef: { name: app-key, key: key }
`;

/** What was kept of a request. */
export const KEPT = {
  ...{ url: '/v1/chat/completions', method: 'POST', gwHeaders: {} },
  body: { model: 'gpt-4o', messages: [] },
};

/** Later with each row, behind those that the tests of all logs ask for. */
export const tracesWith = (...more: readonly Partial<LogRow>[]): readonly LogRow[] =>
  [...TRACES, ...more].map((over, at) => logRow({ created_at: START + at * 1_000, ...over }));

const TRACES: readonly Partial<LogRow>[] = [
  { trace_id: 'both', api_key: 'key-of-the-request' },
  { trace_id: 'both', api_key: 'key-of-the-client', source: 'log' },
  { trace_id: 'clients', api_key: 'key-of-the-client', source: 'log' },
  { trace_id: 'shared', api_key: 'key-of-a', workspace: 'team-a' },
  { trace_id: 'shared', api_key: 'key-of-b', workspace: 'team-b' },
  { trace_id: 'shared', api_key: 'key-of-c', workspace: 'team-c', source: 'log' },
  { trace_id: "it's twice", api_key: 'key-of-the-first' },
  { trace_id: "it's twice", api_key: 'key-of-the-second', source: 'realtime' },
];

/** Runs the command about the log with these rows. */
export type Replay = (...args: readonly string[]) => ReturnType<typeof runInTest>;

export function testTraces(replay: Replay): void {
  test.for([
    { rule: 'the one that the gateway has served', args: ['both'], wanted: 'key-of-the-request' },
    { rule: 'the newest one', args: ["it's twice"], wanted: 'key-of-the-second' },
    { rule: 'that of the workspace', args: ['shared', '--workspace', 'team-a'], wanted: 'key-of-a' },
    { rule: 'that of another one', args: ['shared', '-w', 'team-b'], wanted: 'key-of-b' },
  ])('$rule', async ({ args, wanted }) => {
    const ran = await replay(...args, '-o', 'json');
    expect([ran.err, JSON.parse(ran.out.join('\n')).rows]).toEqual([
      '',
      [expect.objectContaining({ what: 'key', recorded: wanted })],
    ]);
  });

  test.for([
    { args: ['shared'], says: 'workspaces have the trace shared; --workspace takes one of team-a, team-b' },
    { args: ['clients'], says: 'did not go through the gateway' },
    { args: ['shared', '-w', 'team-c'], says: 'in the workspace team-c did not go through the gateway' },
    { args: ['both', '-w', 'team-b'], says: 'no trace both in the workspace team-b' },
  ])('exit status 2: $args', async ({ args, says }) => {
    expect(await replay(...args)).toEqual({ status: 2, out: [], err: expect.stringContaining(says) });
  });
}
