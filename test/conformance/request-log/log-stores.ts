/** What every store of the request log does. */
import { randomUUID } from 'node:crypto';
import type { LogRow } from '@gatehouse/crds/logs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogFeedback, LogRecord, LogStore, SealedBatch } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { logFeedback, logRow } from '../../kit/log-row.ts';

export interface LogStoreWorld extends AsyncDisposable {
  readonly store: LogStore;
  /** Rows of a query that both databases understand. */
  rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A store whose database is another process. */
export interface ServedLogStoreWorld extends LogStoreWorld {
  /** Another one over the same database, for which this account is wrong. */
  stranger(): LogStore;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const record = (over: Partial<LogRow> = {}, content?: object): LogRecord => ({
  row: logRow(over),
  content: content && JSON.stringify(content),
});

const batch = <T = LogRecord>(...records: readonly T[]): SealedBatch<T> => ({ id: randomUUID(), records });

const write = (store: LogStore, { id, records }: SealedBatch<LogRecord>): Promise<void> =>
  writeRecords(store, records, id);

const DAILY = ['logs', 'documents', 'log_minutes', 'log_hours', 'user_hours'];

/** What a server adds: it may be away, and refuse its caller. */
export function describeServedLogStore(name: string, start: () => Promise<ServedLogStoreWorld>): void {
  let world: ServedLogStoreWorld;
  describeLogStore(
    name,
    async () => {
      world = await start();
      return world;
    },
    () => {
      test('what the server is away for is tried again', async () => {
        const kept = batch(record());
        await world.stop();
        const failure = await write(world.store, kept).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(Error);
        expect(world.store.isTemporary(failure)).toBe(true);
        await world.start();
        await write(world.store, kept);
        const found = await world.rows(`select id from gateway_logs.logs where id = '${kept.records[0]?.row.id}'`);
        expect(found).toHaveLength(1);
      });

      test('a wrong password is no reason to drop anything', async () => {
        const stranger = world.stranger();
        const failure = await write(stranger, batch(record())).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(Error);
        expect(stranger.isTemporary(failure)).toBe(true);
        await stranger.close();
      });
    },
  );
}

export function describeLogStore(
  name: string,
  start: () => Promise<LogStoreWorld>,
  describeMore: () => void = () => undefined,
): void {
  describe(name, () => {
    let world: LogStoreWorld;
    let store: LogStore;

    beforeAll(async () => {
      world = await start();
      store = world.store;
    });

    afterAll(async () => {
      await world?.[Symbol.asyncDispose]();
    });

    const one = async (query: string) => (await world.rows(query))[0];
    const countOf = async (table: string, where: string): Promise<number> =>
      Number((await one(`select count(*) as n from gateway_logs.${table} where ${where}`))?.['n']);
    const sumsOf = async (table: string, columns: readonly string[], workspace: string) => {
      const sums = columns.map((column) => `sum(${column}) as sum_${column}`).join(', ');
      const row = await one(`select ${sums} from gateway_logs.${table} where workspace = '${workspace}'`);
      return columns.map((column) => Number(row?.[`sum_${column}`] ?? 0));
    };

    describe('a batch', () => {
      test('is kept as it is, with its documents', async () => {
        const content = { request: { url: '/v1/chat/completions', method: 'POST', body: { text: 'é "q" \\ 🙂\n' } } };
        const kept = record({ metadata: { "o'clock": 'a\tb\\n' }, document: 'database', cost_nano: null }, content);
        await write(store, batch(kept, record({ workspace: 'other' })));
        const { id, decision, created_at, metadata, ...others } = kept.row;
        const row = await one(`select * from gateway_logs.logs where id = '${id}'`);
        for (const [column, value] of Object.entries(others))
          expect(typeof value === 'number' ? Number(row?.[column]) : row?.[column], column).toEqual(value);
        expect(asJson(row?.['decision'])).toEqual(decision);
        expect(asJson(row?.['metadata'])).toEqual(metadata);
        expect(asInstant(row?.['created_at'])).toBe(created_at);
        const document = await one(`select content from gateway_logs.documents where id = '${id}'`);
        expect(asJson(document?.['content'])).toEqual(content);
      });

      test('has documents as they were written, with their blanks', async () => {
        const value = { request: { url: '/\\N', method: 'POST', body: '\\\t\\t' } };
        const content = JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n');
        const kept = { ...record({ document: 'database' }), content };
        await write(store, batch(kept));
        const document = await one(`select content from gateway_logs.documents where id = '${kept.row.id}'`);
        expect(asJson(document?.['content'])).toEqual(value);
      });

      test('that comes again counts once, in roll-ups too', async () => {
        const workspace = randomUUID();
        const sent = batch(
          record({ workspace, end_user: 'ada', cost_nano: 5, response_ms: 10, is_final: false }),
          record({
            workspace,
            end_user: 'ada',
            cost_nano: 7,
            response_ms: 20,
            attempt: 1,
            target_index: 1,
            fell_back: true,
          }),
        );
        for (let i = 0; i < 3; i += 1) await write(store, sent);
        expect(await countOf('logs', `workspace = '${workspace}'`)).toBe(2);
        for (const table of ['log_minutes', 'log_hours'])
          expect(await sumsOf(table, ['requests', 'attempts', 'cost_nano', 'response_ms'], workspace), table).toEqual([
            ...[1, 2, 12, 20],
          ]);
        expect(await sumsOf('user_hours', ['requests', 'cost_nano'], workspace)).toEqual([1, 12]);
      });

      test('with a record that may be made again, in a batch of its own each time, counts it once', async () => {
        const workspace = randomUUID();
        const made = { ...record({ workspace, cost_nano: 5 }), mayRepeat: true };
        const again = { ...made, row: { ...made.row, request_id: randomUUID(), cost_nano: 5 } };
        for (const each of [made, again]) await write(store, batch(each));
        expect(await countOf('logs', `workspace = '${workspace}'`)).toBe(1);
        expect(await sumsOf('log_hours', ['requests', 'cost_nano'], workspace)).toEqual([1, 5]);
      });

      test('with records of clients that came before, or that it has twice, counts them once', async () => {
        const workspace = randomUUID();
        const told = (over: Partial<LogRow> = {}): LogRecord =>
          record(
            { workspace, source: 'log', end_user: 'ada', cost_nano: 5, document: 'database', ...over },
            { request: { url: '/', method: 'POST' } },
          );
        const [one, two, three] = [told(), told({ created_at: Date.UTC(2026, 4, 3) }), told()];
        await write(store, batch(one));
        const again = batch(one, two, two, record({ workspace, cost_nano: 7 }), one);
        for (let i = 0; i < 2; i += 1) await write(store, again);
        await write(store, batch(two, one));
        await write(store, batch(three, two));
        expect(await countOf('logs', `workspace = '${workspace}'`)).toBe(4);
        expect(await countOf('documents', `workspace = '${workspace}'`)).toBe(3);
        for (const table of ['log_minutes', 'log_hours'])
          expect(await sumsOf(table, ['requests', 'cost_nano'], workspace), table).toEqual([4, 22]);
        expect(await sumsOf('user_hours', ['requests', 'cost_nano'], workspace)).toEqual([3, 15]);
      });

      test('of thousands of records of clients, of as many moments, is kept once', async () => {
        const workspace = randomUUID();
        const records = Array.from({ length: 3_600 }, (_, at) =>
          record({ workspace, source: 'log', created_at: Date.UTC(2026, 4, 2) + at }),
        );
        await write(store, batch(...records));
        await write(store, batch(...records.slice(1)));
        expect(await countOf('logs', `workspace = '${workspace}'`)).toBe(3_600);
      });

      test('over midnight has its sums in both days', async () => {
        const workspace = randomUUID();
        const midnight = Date.UTC(2026, 4, 2);
        await write(
          store,
          batch(record({ workspace, created_at: midnight - 1 }), record({ workspace, created_at: midnight })),
        );
        const hours = await world.rows(
          `select bucket, sum(requests) as n from gateway_logs.log_hours where workspace = '${workspace}' group by bucket order by bucket`,
        );
        expect(hours.map(({ bucket, n }) => [asInstant(bucket), Number(n)])).toEqual([
          [midnight - 3_600_000, 1],
          [midnight, 1],
        ]);
      });

      test('with text that is none is kept without it', async () => {
        const kept = record({ span_name: 'a\0b\ud800c', metadata: { 'x\0': 'y' } });
        await write(store, batch(kept));
        const row = await one(`select span_name, metadata from gateway_logs.logs where id = '${kept.row.id}'`);
        expect(row?.['span_name']).toBe('a\ufffdb\ufffdc');
        expect(asJson(row?.['metadata'])).toEqual({ 'x\ufffd': 'y' });
      });

      test('that no column takes is refused for ever', async () => {
        const failure = await write(store, batch(record({ id: 'no uuid' }))).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(Error);
        expect(store.isTemporary(failure)).toBe(false);
      });
    });

    test('sums are those of the rows, whatever is written again and in whichever order', async () => {
      const rows = fc.record({
        status: fc.constantFrom(200, 246, 429, 500),
        is_final: fc.boolean(),
        provider: fc.constantFrom('openai', 'anthropic', null),
        model: fc.constantFrom('a', 'b', null),
        end_user: fc.constantFrom('ada', 'bob', null),
        cost_nano: fc.option(fc.nat(1_000_000)),
        response_ms: fc.integer({ min: 0, max: 100_000 }),
        input_tokens: fc.nat(10_000),
        total_tokens: fc.nat(20_000),
        target_index: fc.option(fc.nat(3)),
        created_at: fc.integer({ min: Date.UTC(2026, 5, 1), max: Date.UTC(2026, 5, 2) }),
      });
      const batches = fc.array(fc.array(rows, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(batches, fc.array(fc.nat(3), { maxLength: 6 }), async (given, again) => {
          const workspace = randomUUID();
          const sealed = given.map((some) => batch(...some.map((over) => record({ ...over, workspace }))));
          for (const one of sealed) await write(store, one);
          for (const at of again) await write(store, sealed[at % sealed.length] ?? batch());
          const all = sealed.flatMap(({ records }) => records.map(({ row }) => row));
          const expected = [
            all.filter(({ is_final }) => is_final).length,
            all.length,
            all.reduce((sum, { cost_nano }) => sum + (cost_nano ?? 0), 0),
            all.reduce((sum, row) => sum + row.input_tokens, 0),
            all.reduce((sum, row) => sum + row.total_tokens, 0),
          ];
          const columns = ['requests', 'attempts', 'cost_nano', 'input_tokens', 'total_tokens'];
          expect(await sumsOf('log_minutes', columns, workspace)).toEqual(expected);
          expect(await sumsOf('log_hours', columns, workspace)).toEqual(expected);
          expect(await countOf('logs', `workspace = '${workspace}'`)).toBe(all.length);
        }),
        { numRuns: 12 },
      );
    });

    describe('feedback of guardrails', () => {
      /** Of a trace; a store may keep one that came again until it is read. */
      const kept = async (trace: string) => {
        const columns = 'id, workspace, trace_id, value, weight, metadata, api_key, key_user, guardrail';
        const found = await world.rows(
          `select distinct ${columns}, created_at, updated_at from gateway_logs.feedback where trace_id = '${trace}' order by value`,
        );
        return found.map((row) => ({
          ...row,
          ...{ value: Number(row['value']), metadata: asJson(row['metadata']) },
          ...{ created_at: asInstant(row['created_at']), updated_at: asInstant(row['updated_at']) },
        }));
      };
      const asKept = (one: LogFeedback) => ({ ...one, updated_at: one.created_at });

      test('is kept as it is', async () => {
        const trace_id = randomUUID();
        const given = logFeedback({ trace_id, value: -10, weight: 0.25, metadata: { "o'clock": 'a\tb\\n' } });
        const other = logFeedback({ trace_id, value: 10, api_key: null, key_user: 'ada' });
        await store.writeFeedback(batch(given, other));
        expect(await kept(trace_id)).toEqual([given, other].map(asKept));
      });

      test('that comes again, in the same batch or in another one, is kept once', async () => {
        const trace_id = randomUUID();
        const [one, two] = [logFeedback({ trace_id, value: 1 }), logFeedback({ trace_id, value: 2 })];
        const sent = batch(one);
        for (let i = 0; i < 3; i += 1) await store.writeFeedback(sent);
        await store.writeFeedback(batch(two, one, two));
        expect(await kept(trace_id)).toEqual([one, two].map(asKept));
      });

      test('with text that is none is kept without it', async () => {
        const trace_id = randomUUID();
        await store.writeFeedback(batch(logFeedback({ trace_id, metadata: { 'x\0': 'a\ud800b' }, guardrail: 'g\0' })));
        expect(await kept(trace_id)).toMatchObject([{ metadata: { 'x\ufffd': 'a\ufffdb' }, guardrail: 'g\ufffd' }]);
      });

      test('that no column takes is refused for ever', async () => {
        const failure = await store
          .writeFeedback(batch(logFeedback({ id: 'no uuid' })))
          .catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(Error);
        expect(store.isTemporary(failure)).toBe(false);
      });

      test('goes with its day', async () => {
        const trace_id = randomUUID();
        const [old, young] = [Date.UTC(2026, 1, 1, 23, 59, 59, 999), Date.UTC(2026, 1, 2)].map((created_at) =>
          logFeedback({ trace_id, created_at }),
        );
        await store.writeFeedback(batch(...[old, young].flatMap((one) => one ?? [])));
        await store.dropBefore(Date.UTC(2026, 1, 2, 1));
        expect(await kept(trace_id)).toMatchObject([{ id: young?.id }]);
      });
    });

    test('old days go with all that was summed up of them', async () => {
      const workspace = randomUUID();
      const [old, young] = [Date.UTC(2026, 2, 1, 12), Date.UTC(2026, 2, 2, 12)];
      const at = (created_at: number) =>
        record({ workspace, created_at, end_user: 'ada', document: 'database' }, { request: { url: '/', method: '' } });
      await write(store, batch(at(old), at(young)));
      await store.dropBefore(Date.UTC(2026, 2, 2, 1));
      for (const table of DAILY) expect(await countOf(table, `workspace = '${workspace}'`), table).toBe(1);
    });

    describeMore();
  });
}

const asJson = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

/** ClickHouse has no zone in its text. */
const asInstant = (value: unknown): number =>
  value instanceof Date ? value.getTime() : Date.parse(/Z$/.test(String(value)) ? String(value) : `${value}Z`);
