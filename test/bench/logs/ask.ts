/** How long questions take. */
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import type { GeneratedRows } from './generated.ts';
import { questionsOf } from './questions.ts';
import type { BenchStore } from './stores.ts';

interface Timed {
  readonly what: string;
  /** Of each round; a text: why there was no answer. */
  readonly ms: readonly number[] | string;
}

export interface Asking {
  readonly of: GeneratedRows;
  readonly rounds: number;
  /** A part of the names of the questions. */
  readonly only: string;
}

/** A table of Markdown. */
export async function measureQuestions(
  { database, reader }: BenchStore,
  { of, rounds, only }: Asking,
): Promise<string> {
  const management = await createTestManagement(['logs', 'analytics'], {
    ...{ database, logReader: reader },
    now: () => of.end,
    rates: { perSecond: 1e6, burst: 1e6 },
    callers: { owner: OWNER },
  });
  try {
    const timed: Timed[] = [];
    for (const { what, path } of questionsOf(of.end, of.days).filter((question) => question.what.includes(only))) {
      const ms = await timesOf(management, path, rounds);
      timed.push({ what, ms });
      process.stderr.write(`${what}: ${typeof ms === 'string' ? ms : `${ms.map(Math.round).join(', ')} ms`}\n`);
    }
    return table(timed);
  } finally {
    await management.close();
  }
}

const OWNER = {
  ...{ keyId: 'owner', keyName: 'owner', type: 'organisation-service' as const, workspace: undefined, user: undefined },
  scopes: new Set(['logs.view', 'logs.list', 'analytics.view']),
  expiresAtMs: Number.POSITIVE_INFINITY,
};

async function timesOf(management: TestManagement, path: string, rounds: number): Promise<Timed['ms']> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const { status, body } = await management.call('owner', 'GET', encodeURI(path));
    if (status !== 200) return `${status} ${JSON.stringify(body['message'] ?? body)}`;
    ms.push(performance.now() - started);
  }
  return ms;
}

function table(timed: readonly Timed[]): string {
  const rows = timed.map(({ what, ms }) => {
    if (typeof ms === 'string') return `| ${what} | ${ms} | |`;
    const [first = 0, ...others] = ms;
    const best = Math.min(...(others.length === 0 ? [first] : others));
    return `| ${what} | ${Math.round(first)} | ${Math.round(best)} |`;
  });
  return ['| question | first time, ms | again, ms |', '| --- | ---: | ---: |', ...rows].join('\n');
}
