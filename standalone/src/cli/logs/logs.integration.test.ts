/** The commands on the request log: against an installation, and against answers with rows. */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logTablesIn, openLogReader } from '@gatehouse/operator/management';
import { unwrap } from '@gatehouse/test/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmbedded } from '../../database/index.ts';
import { type TempFolder, tempFolder } from '../../testing/index.ts';
import { runCommandLine } from '../index.ts';
import { type Installation, openInstallation } from '../objects/testing.ts';
import { type Ran, runInTest } from '../testing.ts';

const ROW = {
  ...{ id: 'row-1', created_at: '2027-01-01T00:00:01.000Z', response_status_code: 200, ai_org: 'openai' },
  ...{ ai_model: 'gpt-4o', total_units: 12, cost: 0.25, response_time: 87.4, trace_id: 'trace-1' },
};

describe('against answers with rows', () => {
  let server: Server;
  const asked: URL[] = [];
  /** Of one list after another; the last one stays. A number: the status in place of rows, 0 for no answer. */
  let pages: (object[] | number)[] = [];
  beforeEach(async () => {
    [asked.length, pages] = [0, []];
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://gateway');
      asked.push(url);
      response.setHeader('content-type', 'application/json');
      const isList = url.pathname === '/v1/logs';
      const data = pages.length > 1 ? pages.shift() : pages[0];
      if (data === 0) return void response.destroy();
      if (typeof data === 'number') response.statusCode = data;
      response.end(
        JSON.stringify(isList ? { object: 'list', data } : { _id: 'row-1', request: { body: '\u001b[2J' } }),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise((closed) => server.close(closed)));
  const run = (...args: string[]): Promise<Ran> =>
    runInTest(['logs', ...args, '--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`], {
      GATEHOUSE_API_KEY: 'gwk_test',
    });

  test('tail shows the newest row last', async () => {
    pages = [[{ ...ROW, id: 'row-2', trace_id: 'trace-2', ai_org: null, ai_model: 'a\u001b[2Jb' }, ROW]];
    const { status, out } = await run('tail', '-w', 'team-a', '-n', '2', '--status', '200,429', '--trace', 't');
    expect(status).toBe(0);
    expect(out.map((line) => line.split(/ {2,}/).filter(Boolean))).toEqual([
      ['TIME', 'STATUS', 'PROVIDER', 'MODEL', 'TOKENS', 'CENTS', 'MS', 'TRACE'],
      ['2027-01-01T00:00:01.000Z', '200', 'openai', 'gpt-4o', '12', '0.2500', '87', 'trace-1'],
      ['2027-01-01T00:00:01.000Z', '200', '-', expect.not.stringContaining('\u001b'), '12', '0.2500', '87', 'trace-2'],
    ]);
    expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
      ...{ workspace_slug: 'team-a', page_size: '2', status_code: '200,429', trace_id: 't' },
    });
  });

  test('tail has rows as lines of JSON for other programs', async () => {
    pages = [[ROW]];
    const { out } = await run('tail', '-o', 'json');
    expect(out.map((line) => JSON.parse(line))).toEqual([ROW]);
  });

  test('tail counts back from now', async () => {
    pages = [[]];
    const before = Date.now();
    await run('tail', '--since', '2h');
    const since = Date.parse(asked[0]?.searchParams.get('time_of_generation_min') ?? '');
    expect(since + 7_200_000).toBeGreaterThanOrEqual(before);
    expect(since + 7_200_000).toBeLessThanOrEqual(Date.now());
  });

  const created_at = new Date().toISOString();
  const row = { ...ROW, created_at };
  const old = { ...row, id: 'old', trace_id: 'trace-old' };
  const late = { ...row, id: 'late', trace_id: 'trace-late' };
  const last = { ...row, id: 'new', trace_id: 'trace-new' };

  /** Ends with the row `new`. `isFrom`: whether it asks for rows of so many ms while it follows. */
  async function follow(given: (object[] | number)[], ...args: string[]) {
    pages = given;
    const before = Date.now();
    const [out, err]: [string[], string[]] = [[], []];
    let stop = (): void => undefined;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const status = await runCommandLine(['logs', 'tail', '-f', '-o', 'json', '--url', url, ...args], {
      ...{ variables: { GATEHOUSE_API_KEY: 'gwk_test' }, interactive: false, err: (line) => void err.push(line) },
      out: (line) => {
        out.push(JSON.parse(line).id);
        if (out.includes('new')) stop();
      },
      onStop: (listener) => {
        stop = () => listener('SIGINT');
        return () => undefined;
      },
      onFault: () => () => undefined,
      exit: () => {
        throw new Error('the process would have ended');
      },
    });
    const asks = asked.filter(({ searchParams }) => searchParams.get('page_size') === '1000');
    const times = asks.map(({ searchParams }) => Date.parse(searchParams.get('time_of_generation_min') ?? ''));
    const isFrom = (ms: number): boolean => times.every((time) => time + ms >= before && time + ms <= Date.now());
    return { status, out, err, asks: asks.length, isFrom };
  }

  test('tail follows: rows of the last minutes that were not there are shown once, whenever they were written', async () => {
    const { status, out, asks, isFrom } = await follow([[row, old], [row], [row, late, old], [last, row, late, old]]);
    expect([status, out]).toEqual([0, ['row-1', 'late', 'new']]);
    expect([asks, isFrom(600_000)]).toEqual([3, true]);
  });

  test('tail follows no requests that began before --since', async () => {
    const { out, asks, isFrom } = await follow([[row], [row], [last, row]], '--since', '5m');
    expect([out, asks, isFrom(300_000)]).toEqual([['row-1', 'new'], 2, true]);
  });

  test('tail goes on following where an answer fails for a while, and says so once', async () => {
    const { status, out, err } = await follow([[row], [row], 503, 0, [last, row]]);
    expect([status, out]).toEqual([0, ['row-1', 'new']]);
    expect(err).toEqual([expect.stringContaining('503')]);
  });

  test('tail ends where it may no longer read', async () => {
    const { status, out, err } = await follow([[row], [row], 403]);
    expect([status, out, err]).toEqual([1, ['row-1'], [expect.stringContaining('403')]]);
  });

  test('show has the row with its request, by any id', async () => {
    const { status, out } = await run('show', 'a/b', '-w', 'team-a');
    expect([status, JSON.parse(out.join('\n'))]).toEqual([0, { _id: 'row-1', request: { body: '\u001b[2J' } }]);
    expect(asked[0]?.pathname).toBe('/v1/logs/a%2Fb');
  });

  test.for([
    [['delete'], /tail|show|export/],
    [['show'], /one ID/],
    [['tail', '--since', 'yesterday'], /--since takes/],
    [['tail', '-n', '0'], /--limit takes/],
    [['tail', '-n', '1001'], /--limit takes/],
    [['export'], /--file is missing/],
  ] as const)('%j is refused before anything is asked', async ([args, says]) => {
    const ran = await run(...args);
    expect([ran.status, ran.err, asked]).toEqual([2, expect.stringMatching(says), []]);
  });
});

describe('against an installation', () => {
  let own: Installation;
  let data: TempFolder;
  beforeAll(async () => {
    data = tempFolder({});
    const database = createEmbedded(data.path).people(() => undefined);
    await database.use(async () => undefined); // its start may take longer than a call waits
    const tables = logTablesIn(database);
    const logs = { ...unwrap(openLogReader(undefined, tables)), database: tables };
    own = await openInstallation({ database, isLazy: true, logs });
  });
  afterAll(async () => {
    await own?.[Symbol.asyncDispose]();
    data?.[Symbol.dispose]();
  });

  test('export writes a file that only its owner reads, and never over another one', async () => {
    const file = own.pathOf('logs.jsonl');
    const ran = await own.run('logs', 'export', '--since', '1d', '--file', file);
    expect([ran.status, ran.err]).toEqual([0, `0 rows in ${file}`]);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['', 0o600]);
    const again = await own.run('logs', 'export', '--file', file);
    expect([again.status, again.err]).toEqual([1, expect.stringContaining('exists')]);
  });

  test('export says which field is none', async () => {
    const ran = await own.run('logs', 'export', '--fields', 'id,password', '--file', own.pathOf('none.jsonl'));
    expect([ran.status, ran.err]).toEqual([1, expect.stringContaining('requested_data')]);
  });

  test('tail and show say what is not there', async () => {
    expect((await own.run('logs', 'tail')).out).toHaveLength(1);
    const ran = await own.run('logs', 'show', 'no-such-trace');
    expect([ran.status, ran.err]).toEqual([1, expect.stringContaining('does not exist')]);
  });
});
