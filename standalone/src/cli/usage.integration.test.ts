import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BudgetRow } from '@gatehouse/crds/usage';
import { freePort } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from './index.ts';

const row = (over: Partial<BudgetRow> = {}): BudgetRow => ({
  id: 'key/team-a/app|main',
  slot: 'team-a',
  owner: { kind: 'key', id: 'key/team-a/app', slug: 'app' },
  name: 'main',
  type: 'cost',
  limit: 10_000_000_000,
  used: 2_500_000_001,
  periodStartMs: Date.UTC(2027, 0, 1),
  resetsAtMs: Date.UTC(2027, 1, 1),
  generation: 'g',
  ...over,
});
const group = row({
  id: 'policy//UsageLimitPolicy:per-user|ada',
  slot: '',
  owner: { kind: 'policy', id: 'policy//UsageLimitPolicy:per-user', slug: 'per-user', bucket: 'ada\u001b[31m' },
  name: 'per-user',
  ...{ type: 'requests', limit: 100, used: 100 },
});

/** An admin listener with these rows that wants a token. */
async function gateway(budgets: readonly BudgetRow[], { status = 200, more = false, text = '' } = {}) {
  const server = createServer((request, response) => {
    const isAllowed = request.url === '/internal/usage' && request.headers.authorization === 'Bearer secret';
    response.statusCode = isAllowed ? status : 401;
    response.end(text === '' ? JSON.stringify({ process: 'p', sequence: 1, more, budgets }) : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a server that listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function run(args: readonly string[], variables = { GATEHOUSE_ADMIN_TOKEN: 'secret' }) {
  const out: string[] = [];
  const err: string[] = [];
  const status = await runCommandLine(['usage', ...args], {
    variables,
    interactive: false,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    onStop: () => () => {},
    onFault: () => {},
    exit: () => {
      throw new Error('the process would have ended');
    },
  });
  return { status, out, err: err.join('\n') };
}

describe('gatehouse usage', () => {
  test('prints a table, with the least left first and nothing that a terminal would obey', async () => {
    await using own = await gateway([row(), group]);
    const { status, out } = await run(['--url', own.url]);
    expect(status).toBe(0);
    expect(out.map((line) => line.split(/ {2,}/))).toEqual([
      ['KIND', 'OWNER', 'WORKSPACE', 'BUDGET', 'USED', 'LIMIT', '%', 'RESET'],
      [
        'UsageLimitPolicy',
        'per-user',
        '-',
        expect.stringMatching(/^per-user ada/),
        '100 requests',
        '100',
        '100',
        '2027-02-01',
      ],
      ['ApiKey', 'app', 'team-a', 'main', '2.5 USD', '10', '25', '2027-02-01'],
    ]);
    expect(out.join('')).not.toContain('\u001b');
  });

  test('prints JSON with exact amounts', async () => {
    await using own = await gateway([row({ resetsAtMs: undefined })]);
    const { out } = await run(['--url', own.url, '--json']);
    expect(JSON.parse(out.join('\n'))).toEqual([
      {
        ...{ kind: 'ApiKey', owner: 'app', workspace: 'team-a', budget: 'main', type: 'cost' },
        ...{ used: '2.500000001', limit: '10', usedPercent: 25, periodStart: '2027-01-01T00:00:00.000Z' },
      },
    ]);
  });

  test('shows a counter that several gateways know once, with the largest use of its newest period', async () => {
    await using first = await gateway([row({ used: 9_000_000_000, periodStartMs: 0 })]);
    await using second = await gateway([row({ used: 4_000_000_000 })], { more: true });
    await using third = await gateway([row({ used: 3_000_000_000 })]);
    const { out, err } = await run(['--url', [first, second, third].map(({ url }) => url).join(',')]);
    expect(out.length).toBe(2);
    expect(out[1]).toContain('4 USD');
    expect(err).toContain('further budgets');
  });

  test('names the subject of tokens whose claims have a budget', async () => {
    const owner = { kind: 'key', id: 'token/team-a/0123456789abcdef/idp/ada', slug: 'idp/ada' } as const;
    await using own = await gateway([row({ id: `${owner.id}|cost|month`, owner, name: 'month' })]);
    const { out } = await run(['--url', own.url]);
    expect(out[1]?.split(/ {2,}/).slice(0, 4)).toEqual(['token', 'idp/ada', 'team-a', 'month']);
    const { out: json } = await run(['--url', own.url, '--json']);
    expect(JSON.parse(json.join('\n'))).toMatchObject([{ kind: 'token', owner: 'idp/ada', budget: 'month' }]);
  });

  test('says so when nothing was used', async () => {
    await using own = await gateway([]);
    expect((await run(['--url', own.url])).out).toEqual(['No budget has been used since the gateway started']);
  });

  test.for<{ rule: string; answer: Parameters<typeof gateway>[1]; says: RegExp }>([
    { rule: 'a gateway of before budgets', answer: { status: 404 }, says: /no admin listener/ },
    { rule: 'something that is no gateway', answer: { text: '<html>' }, says: /without the use of budgets/ },
    { rule: 'an answer without end', answer: { text: 'x'.repeat(9 * 1024 * 1024) }, says: /too large/ },
  ])('fails with $rule', async ({ answer, says }) => {
    await using own = await gateway([], answer);
    const { status, err } = await run(['--url', own.url]);
    expect([status, err]).toEqual([1, expect.stringMatching(says)]);
  });

  test('asks for the token that is missing, and prefers the one of the command line', async () => {
    await using own = await gateway([]);
    expect((await run(['--url', own.url, '--token', 'wrong'])).err).toContain('GATEHOUSE_ADMIN_TOKEN');
    expect((await run(['--url', own.url, '--token', 'secret'], { GATEHOUSE_ADMIN_TOKEN: 'wrong' })).status).toBe(0);
  });

  test('fails where nothing listens', async () => {
    expect(await run(['--url', `http://127.0.0.1:${await freePort()}`])).toMatchObject({
      status: 1,
      err: expect.stringContaining('no gateway answers'),
    });
  });

  test.for([
    ['--url', 'localhost:8789'],
    ['--url', 'ftp://x'],
    ['--token', 'a b'],
  ])('refuses %s %s', async (args) => {
    expect((await run(args)).status).toBe(2);
  });
});
