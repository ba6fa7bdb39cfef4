/** Who sees which rows: every question that is asked of a request log has the same answer to it, wherever the log is kept. */
import type { LogRow } from '@gatehouse/crds/logs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogFeedback } from '../../../../gateway/src/request-log/index.ts';
import { type Caller, OPERATIONS } from '../../../../operator/src/management/index.ts';
import type { TestManagement } from '../../../../operator/src/management/testing.ts';
import { logFeedback } from '../../../kit/log-row.ts';
import { waitFor } from '../../../kit/wait-for.ts';
import {
  CALLERS,
  type CallerName,
  MATRIX,
  NAMES,
  NOW,
  OF_OWN_CALLS,
  OF_SUMS,
  ROWS,
  type RowName,
  sumsOf,
  type Toggled,
} from './cases.ts';
import { type FeedbackOn, QUESTIONS } from './questions.ts';

export { ONE_OF_EACH } from './cases.ts';

export interface VisibleRowsWorld extends AsyncDisposable {
  readonly management: TestManagement;
  write(rows: readonly LogRow[]): Promise<void>;
  /** Feedback of guardrails. */
  judge(records: readonly LogFeedback[]): Promise<void>;
}

export interface VisibleRowsOptions {
  readonly callers: Readonly<Record<string, Caller>>;
  readonly now: () => number;
}

const FIELDS = ['id'];
const values = Object.values;
const idsOf = (some: readonly { readonly id?: string }[]) => some.map(({ id }) => id).sort();
const rowsOf = (names: readonly RowName[]): readonly LogRow[] => names.map((name) => ROWS[name]);
/** No two sets of rows have the same average of them. */
const feedbackOn: FeedbackOn = (row) => VALUES[NAMES.findIndex((name) => ROWS[name] === row)] ?? 0;
const VALUES = [-10, -8, -3, 1, 5, 10];
/** Guardrails give it on every other row, people on the rest. */
const isJudged = (row: LogRow): boolean => NAMES.findIndex((name) => ROWS[name] === row) % 2 === 0;

/** `matrix`: cases of the whole one. */
export function describeVisibleRows(
  start: (options: VisibleRowsOptions) => Promise<VisibleRowsWorld>,
  matrix: readonly Toggled[] = MATRIX,
): void {
  let world: VisibleRowsWorld;
  const feedbackIds = new Map<RowName, string>();
  const get = (key: string, path: string) => world.management.call(key, 'GET', path);

  async function hasRows(name: CallerName, sees: readonly RowName[], named: string | undefined): Promise<void> {
    const rows = rowsOf(meant(name, sees, named));
    const answers = await Promise.all(
      QUESTIONS.map(async ({ path, said }) => {
        const query = named === undefined ? '' : `${path.includes('?') ? '&' : '?'}workspace_slug=${named}`;
        const { status, body } = await get(name, `${path}${query}`);
        return [path, status, status === 200 ? said(body) : body];
      }),
    );
    expect(answers).toEqual(QUESTIONS.map(({ path, expected }) => [path, 200, expected(rows, feedbackOn)]));
  }
  async function findsRow(name: CallerName, row: LogRow, sees: readonly LogRow[]): Promise<void> {
    const { id, trace_id: trace } = row;
    const ofTrace = sees.filter((one) => one.trace_id === trace).length;
    for (const path of [`/logs/${id}`, `/logs/${id}?type=hooks`]) {
      expect((await get(name, path)).status, path).toBe(sees.includes(row) ? 200 : 404);
    }
    expect((await get(name, `/logs/${trace}`)).status, trace).toBe(ofTrace > 0 ? 200 : 404);
    expect((await get(name, `/logs?trace_id=${trace}`)).body['total'], trace).toBe(ofTrace);
  }

  beforeAll(async () => {
    world = await start({ callers: everyCaller(), now: () => NOW });
    await world.write(values(ROWS));
    for (const name of NAMES) feedbackIds.set(name, await giveFeedback(world, ROWS[name]));
    for (const role of ['admin', 'manager', 'member'] as const) {
      await world.management.store.create(
        { kind: 'WorkspaceMember', namespace: 'team-a', name: role },
        { spec: { user: `${role}@example.com`, role } },
        { force: false },
      );
    }
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test('every operation that reads many rows is asked', () => {
    const asked = QUESTIONS.map(({ path }) => path.split('?')[0] ?? '');
    const reading = OPERATIONS.map(({ operation }) => operation)
      .filter(({ method, path }) => method === 'GET' && /^\/(logs|analytics)(?!\/exports)(\/|$)/.test(path))
      .filter(({ path }) => path !== '/logs/{logId}');
    expect(reading.length).toBeGreaterThan(20);
    for (const { path } of reading) {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      expect(
        asked.filter((one) => pattern.test(one)),
        path,
      ).not.toEqual([]);
    }
  });

  describe.for(matrix)('with $off switched off', ({ off, sees }) => {
    beforeAll(() => toggle(world, off));
    const callers = Object.keys(sees) as CallerName[]; // of the matrix

    test.for(callers)('%s has the same rows in every answer', async (name) => {
      const named = off.length === 0 ? ['team-b'] : [];
      for (const one of [undefined, ...named]) await hasRows(name, sees[name] ?? [], one);
    });

    test.for(callers.filter((name) => name in OF_SUMS))(
      '%s has the same sums without a scope that reads rows',
      async (name) => {
        for (const { path, said, expected } of QUESTIONS) {
          const { status, body } = await get(sumsOf(name), path);
          if (path.startsWith('/logs')) expect(status, path).toBe(403);
          else expect([status, said(body)], path).toEqual([200, expected(rowsOf(sees[name] ?? []), feedbackOn)]);
        }
        expect((await get(sumsOf(name), `/logs/${ROWS.service.id}`)).status).toBe(403);
      },
    );

    test.for(callers)('%s finds the rows that are meant, one by one, and no others', async (name) => {
      const { data } = (await get(name, '/logs')).body;
      expect(idsOf(data as { id: string }[])).toEqual(idsOf(rowsOf(sees[name] ?? [])));
      for (const row of NAMES) await findsRow(name, ROWS[row], rowsOf(sees[name] ?? []));
    });

    test.for(callers)('%s exports the rows that are meant', async (name) => {
      const { workspace = 'team-b' } = CALLERS[name];
      const lines = await exported(world, name, workspace);
      const rows = rowsOf(meant(name, sees[name] ?? [], workspace));
      expect(idsOf(lines)).toEqual(idsOf(rows));
    });

    test.for(Object.entries(OF_OWN_CALLS))('%s finds what it has made', async ([name, { row: own }]) => {
      for (const row of NAMES) {
        expect((await get(name, `/logs/${ROWS[row].id}`)).status, row).toBe(row === own ? 200 : 404);
      }
      for (const { path } of QUESTIONS) expect((await get(name, path)).status, path).toBe(403);
    });
  });

  test.for(Object.keys(CALLERS) as CallerName[])('%s changes feedback of its workspaces alone', async (name) => {
    const { workspace } = CALLERS[name];
    for (const row of NAMES) {
      const isTheirs = workspace === undefined || ROWS[row].workspace === workspace;
      const body = { value: feedbackOn(ROWS[row]) };
      const { status } = await world.management.call(name, 'PUT', `/feedback/${feedbackIds.get(row)}`, body);
      expect(status, row).toBe(isTheirs ? 200 : 404);
    }
  });

  test('toggles of the organisation hold where the workspace says nothing', async () => {
    await toggle(world, []);
    const place = { kind: 'Organisation', namespace: undefined, name: 'default' } as const;
    const spec = { roleToggles: [{ name: 'membersViewAllData' as const, enabled: false }] };
    await world.management.store.create(place, { spec }, { force: false });
    expect((await get('key of a member', '/logs')).body['total']).toBe(1);
    expect((await get('service key', '/logs')).body['total']).toBe(4);
  });
}

function everyCaller(): Readonly<Record<string, Caller>> {
  const ofSums = Object.entries(OF_SUMS).map(([name, caller]) => [sumsOf(name), caller]);
  const ofOwn = Object.entries(OF_OWN_CALLS).map(([name, { caller }]) => [name, caller]);
  return { ...CALLERS, ...Object.fromEntries([...ofSums, ...ofOwn]) };
}

/** Rows that the caller may see in the workspace that it names; callers of a workspace see theirs. */
const meant = (name: CallerName, rows: readonly RowName[], named: string | undefined): readonly RowName[] =>
  rows.filter((row) => named === undefined || CALLERS[name].workspace !== undefined || ROWS[row].workspace === named);

/** Its id. */
async function giveFeedback({ management, judge }: VisibleRowsWorld, row: LogRow): Promise<string> {
  const { workspace, trace_id, created_at } = row;
  if (isJudged(row)) {
    const given = logFeedback({ workspace, trace_id, created_at, value: feedbackOn(row) });
    await judge([given]);
    return given.id;
  }
  const body = { trace_id, value: feedbackOn(row) };
  const answer = await management.call('key of the organisation', 'POST', `/feedback?workspace_id=${workspace}`, body);
  expect(answer.status).toBe(200);
  return String((answer.body['feedback_ids'] as string[])[0]);
}

/** Toggles of the workspace. */
async function toggle({ management }: VisibleRowsWorld, off: Toggled['off']): Promise<void> {
  const roleToggles = off.length === 0 ? undefined : off.map((name) => ({ name, enabled: false }));
  const place = { kind: 'Workspace', namespace: undefined, name: 'team-a' } as const;
  const { ok } = await management.store.update(place, ({ spec }) => ({ spec: { ...spec, roleToggles } }), {
    force: false,
  });
  expect(ok).toBe(true);
}

async function exported({ management }: VisibleRowsWorld, name: string, workspace: string) {
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    management.call(name, method, `/logs/exports${path}`, body);
  const draft = { workspace_id: workspace, filters: {}, requested_data: FIELDS };
  const made = await call('POST', '', draft);
  expect([made.status, made.body]).toMatchObject([200, { object: 'export' }]);
  const path = `/${made.body['id']}`;
  expect((await call('POST', `${path}/start`)).status).toBe(200);
  const ended = await waitFor(
    async () => {
      const { body } = await call('GET', path);
      return body['status'] === 'in_progress' ? undefined : body;
    },
    { what: 'the end of the export' },
  );
  expect(ended).toMatchObject({ status: 'success', problem: null });
  const link = new URL(String((await call('GET', `${path}/download`)).body['signed_url']));
  const { text } = await management.send({ url: link.pathname + link.search });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): { readonly id?: string } => JSON.parse(line));
}
