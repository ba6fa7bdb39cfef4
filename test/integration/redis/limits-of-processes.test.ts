/** Many gateway processes with one Redis: docs/behaviour/limits.md. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { expect, test } from 'vitest';
import { COMPILED, programArgs } from '../../kit/programs.ts';
import { startRedis } from '../../kit/redis.ts';
import { waitFor } from '../../kit/wait-for.ts';

const KEY = 'gwk_app_of_tests';
const PROCESSES = 8;
const REQUESTS = 10_000;
const LIMIT = 1_000;
const IN_FLIGHT = 200;

/** A limit of a week: the window cannot end within the test, but for the second before Thursday 00:00 UTC. */
const resources = (mockUrl: string): string => `
apiVersion: gatehouse.dev/v1alpha1
kind: VirtualKey
metadata: { name: local, namespace: team-a }
spec: { provider: openai, customHost: "${mockUrl}/v1" }
---
apiVersion: gatehouse.dev/v1alpha1
kind: ApiKey
metadata: { name: app, namespace: team-a }
spec:
  type: workspace-service
  sha256: ${createHash('sha256').update(KEY).digest('hex')}
  scopes: [completions.write]
  rateLimits: [{ type: requests, unit: rpw, value: ${LIMIT} }]
---
apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;

interface Gateway {
  readonly child: ChildProcess;
  readonly url: string;
}

async function startProcess(folder: string, redisUrl: string, index: number): Promise<Gateway> {
  const data = join(folder, `.data-${index}`);
  const ports = ['--port', '0', '--admin-port', '0'];
  const child = spawn(
    process.execPath,
    [...programArgs('standalone'), 'standalone', '--resources', folder, '--data', data, ...ports],
    // The wait is far above its default: these machines are busy with tests.
    {
      env: { ...COMPILED, REDIS_URL: redisUrl, CACHE_STORE: 'memory', GATEHOUSE_LIMITS_TIMEOUT_MS: '10000' },
      stdio: 'pipe',
    },
  );
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk.toString();
  });
  child.stdout.resume();
  const addressIn = (line: RegExp): Promise<string> =>
    waitFor(() => line.exec(written)?.[1], { what: `${line} in the output` });
  const url = await addressIn(/on (http:\/\/[^/\s]+)\//);
  const admin = await addressIn(/status are on (http:\/\/\S+)\s/);
  const isShared = async (): Promise<boolean> => {
    const status = (await (await fetch(`${admin}/internal/status`)).json()) as { limits?: { counted: string } };
    return status.limits?.counted === 'shared';
  };
  await waitFor(isShared, { what: 'Redis is used' });
  return { child, url };
}

async function end({ child }: Gateway): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

test('eight processes admit exactly as many of ten thousand requests as the limit says', async () => {
  await using redis = await startRedis();
  await using mock = await createMockProvider();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-limits-'));
  writeFileSync(join(folder, 'resources.yaml'), resources(mock.url));
  const gateways = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => startProcess(folder, redis.url, i)));
  const counts = new Map<number, number>();
  let next = 0;
  const askInTurn = async (): Promise<void> => {
    while (next < REQUESTS) {
      const gateway = gateways[next++ % PROCESSES] as Gateway; // one of eight
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'x-gw-provider': '@local', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
      });
      await answer.arrayBuffer();
      const { status } = answer;
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, askInTurn));
    expect(Object.fromEntries(counts)).toEqual({ 200: LIMIT, 429: REQUESTS - LIMIT });
  } finally {
    await Promise.all(gateways.map(end));
    rmSync(folder, { recursive: true });
  }
});
