import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BudgetStore, createLogger, type Logger, type SyncRequest } from '@gatehouse/gateway';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { openBudgetFile } from './index.ts';

const NOW = Date.UTC(2026, 10, 23);

const request = (spent: number, over: Partial<SyncRequest> = {}): SyncRequest => ({
  id: 'key/team/a|main',
  slot: 'team',
  limit: 1_000,
  period: { startMs: 0, endMs: undefined },
  holder: 'one',
  sequence: spent + 1,
  spentIn: 0,
  spent,
  held: 0,
  more: 0,
  spare: false,
  leaseMs: 60_000,
  generation: '',
  seed: undefined,
  ...over,
});

const loggerOf = (warnings: string[]): Logger =>
  createLogger({
    level: 'warn',
    service: 'test',
    destination: { write: (line) => warnings.push(JSON.parse(line).msg) },
  });

async function openIn(folder: string, warnings: string[] = []): Promise<BudgetStore> {
  const opened = await openBudgetFile({ folder, logger: loggerOf(warnings), now: () => NOW, writeEveryMs: 10 });
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

const totalIn = async (store: BudgetStore, id = 'key/team/a|main'): Promise<unknown> => {
  const [reply] = await store.sync([request(0, { id, holder: 'reader', sequence: 1_000_000 })]);
  return reply?.status === 'done' ? reply.total : reply;
};

describe('the file of budgets', () => {
  test('keeps totals for the next start, and returns what a holder had', async () => {
    using folder = tempFolder();
    const first = await openIn(folder.path);
    await first.sync([request(70, { more: 900 }), request(5, { id: 'other' })]);
    await first.close();
    const second = await openIn(folder.path);
    expect([await totalIn(second), await totalIn(second, 'other')]).toEqual([70, 5]);
    const [reply] = await second.sync([request(0, { holder: 'two', more: 930 })]);
    expect(reply).toMatchObject({ held: 930 });
    await second.close();
  });

  test('has what was told about a second ago, without an orderly end', async () => {
    using folder = tempFolder();
    const store = await openIn(folder.path);
    await store.sync([request(70)]);
    const file = join(folder.path, 'budgets.jsonl');
    await waitFor(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), {
      what: 'the total in the file',
    });
    const next = await openIn(folder.path);
    expect(await totalIn(next)).toBe(70);
    await Promise.all([store.close(), next.close()]);
  });

  test('does not exist before anything is spent', async () => {
    using folder = tempFolder();
    const store = await openIn(join(folder.path, 'data'));
    await store.close();
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
  });

  test('is readable by its owner only', async () => {
    using folder = tempFolder();
    const store = await openIn(folder.path);
    await store.sync([request(70)]);
    await store.close();
    expect(statSync(join(folder.path, 'budgets.jsonl')).mode & 0o777).toBe(0o600);
  });

  test('ignores a last line that was not written to its end', async () => {
    using folder = tempFolder();
    const first = await openIn(folder.path);
    await first.sync([request(70)]);
    await first.close();
    appendFileSync(join(folder.path, 'budgets.jsonl'), '{"id":"key/team/a|main","per');
    const warnings: string[] = [];
    const second = await openIn(folder.path, warnings);
    expect(await totalIn(second)).toBe(70);
    await second.sync([request(80, { holder: 'two' })]);
    await second.close();
    const third = await openIn(folder.path, warnings);
    expect([await totalIn(third), warnings]).toEqual([150, []]);
    await third.close();
  });

  test('keeps the other lines when some are damaged, and says so', async () => {
    using folder = tempFolder({
      'budgets.jsonl': [
        '{"id":"a","periodStartMs":0,"generation":"g","used":7}',
        'damaged',
        '{"id":"b","periodStartMs":0,"generation":"g","used":-1}',
        '{"id":"c","periodStartMs":0,"generation":"g","used":9}',
        '',
      ].join('\n'),
    });
    const warnings: string[] = [];
    const store = await openIn(folder.path, warnings);
    expect([await totalIn(store, 'a'), await totalIn(store, 'b'), await totalIn(store, 'c')]).toEqual([7, 0, 9]);
    expect(warnings).toEqual(['Lines of the file of budgets were damaged']);
    await store.close();
  });

  test('is written anew before superseded lines fill it', async () => {
    using folder = tempFolder();
    const store = await openIn(folder.path);
    const line = '{"id":"key/team/a|main","periodStartMs":0,"generation":"g","used":1}\n';
    await store.close();
    writeFileSync(join(folder.path, 'budgets.jsonl'), line.repeat(5_000));
    const next = await openIn(folder.path);
    await next.sync([request(10)]);
    await next.close();
    expect(readFileSync(join(folder.path, 'budgets.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
    const last = await openIn(folder.path);
    expect(await totalIn(last)).toBe(11);
    await last.close();
  });

  test('is written later when it cannot be written at first', async () => {
    using folder = tempFolder();
    const data = join(folder.path, 'data');
    writeFileSync(data, 'a file where the folder should be');
    const warnings: string[] = [];
    rmSync(data);
    const opened = await openBudgetFile({ folder: data, logger: loggerOf(warnings), now: () => NOW, writeEveryMs: 10 });
    if (!opened.ok) throw new Error(opened.error);
    writeFileSync(data, 'a file where the folder should be');
    await opened.value.sync([request(70)]);
    await waitFor(() => warnings.length > 0, { what: 'the warning' });
    rmSync(data);
    mkdirSync(data);
    await waitFor(() => existsSync(join(data, 'budgets.jsonl')), { what: 'the file' });
    await opened.value.close();
    expect(warnings).toEqual(['File of budgets could not be written']);
    const next = await openIn(data);
    expect(await totalIn(next)).toBe(70);
    await next.close();
  });

  test('that cannot be read is an error that names it', async () => {
    using folder = tempFolder();
    mkdirSync(join(folder.path, 'budgets.jsonl'));
    const opened = await openBudgetFile({ folder: folder.path, logger: loggerOf([]) });
    expect(opened).toMatchObject({ ok: false });
    if (!opened.ok) expect(opened.error).toContain('budgets.jsonl cannot be read');
  });
});
