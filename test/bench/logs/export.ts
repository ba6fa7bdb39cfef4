/** An export of many rows by a standalone process, and what its memory does meanwhile. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { addressOf, startGatehouse, tempFolder } from '../../../standalone/src/testing/index.ts';
import { type GeneratedRows, WORKSPACES } from './generated.ts';
import type { BenchStore } from './stores.ts';

/** As many as an export may have. */
const MAX_ROWS = 1_000_000;
const ADMIN = 'gwk_given_0123456789abcdef0123456789';
const SAMPLE_MS = 250;
const POLL_MS = 500;
const MIB = 1024;
const FIELDS = [
  ...['id', 'trace_id', 'created_at', 'ai_org', 'ai_model', 'response_status_code', 'response_time'],
  ...['req_units', 'res_units', 'total_units', 'cost', 'config', 'metadata'],
];

/** A table of Markdown. */
export async function measureExport({ url, clickHouseUrl }: BenchStore, of: GeneratedRows): Promise<string> {
  using folder = tempFolder({ 'workspaces.yaml': [...new Set(WORKSPACES)].map(workspace).join('---\n') });
  const where = ['--resources', folder.path, '--data', `${folder.path}/.data`];
  await using child = startGatehouse(['standalone', ...where, '--port', '0', '--admin-port', '0'], {
    ...{ GATEHOUSE_ADMIN_KEY: ADMIN, DATABASE_URL: url },
    ...(clickHouseUrl === undefined ? {} : { GATEHOUSE_LOGS_CLICKHOUSE_URL: clickHouseUrl }),
  });
  const call = callerOf(await addressOf(child));
  await call('GET', '/logs?page_size=1');
  const memory = watchMemory(child.pid ?? 0);
  const before = await memory.now();
  const started = performance.now();
  const records = await runExport(call, of);
  const madeMs = performance.now() - started;
  const making = memory.take();
  const { bytes, ms } = await download(call, records.id);
  const loading = memory.take();
  memory.stop();
  if (records.count !== bytes.lines)
    throw new Error(`${records.count} rows were announced, ${bytes.lines} are in the file`);
  return [
    '| part | rows | s | RSS before, MiB | RSS in tenths of the time (largest), MiB |',
    '| --- | ---: | ---: | ---: | --- |',
    `| making the file | ${records.count} | ${seconds(madeMs)} | ${before} | ${making.join(', ')} |`,
    `| reading it (${Math.round(bytes.total / MIB / MIB)} MiB) | ${bytes.lines} | ${seconds(ms)} | | ${loading.join(', ')} |`,
  ].join('\n');
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

const workspace = (name: string): string =>
  `apiVersion: gatehouse.dev/v1alpha1\nkind: Workspace\nmetadata: { name: ${name} }\nspec: { namespace: ${name} }\n`;

type Call = (method: string, path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>;

function callerOf(address: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`${address}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}

async function runExport(call: Call, { rows, end }: GeneratedRows): Promise<{ id: string; count: number }> {
  const { id } = await call('POST', '/logs/exports', {
    workspace_id: WORKSPACES[0],
    filters: {
      time_of_generation_min: new Date(0).toISOString(),
      time_of_generation_max: new Date(end).toISOString(),
      page_size: Math.min(MAX_ROWS, rows),
    },
    requested_data: FIELDS,
    description: 'bench',
  });
  const path = `/logs/exports/${String(id)}`;
  await call('POST', `${path}/start`, {});
  for (;;) {
    const { status, problem, total_records: count } = await call('GET', path);
    if (status === 'success') return { id: String(id), count: Number(count) };
    if (status !== 'in_progress') throw new Error(`The export is ${String(status)}: ${String(problem)}`);
    await delay(POLL_MS);
  }
}

const NEWLINE = 10;

async function download(call: Call, id: string): Promise<{ bytes: { total: number; lines: number }; ms: number }> {
  const started = performance.now();
  const { signed_url: link } = await call('GET', `/logs/exports/${id}/download`);
  const answer = await fetch(String(link));
  if (!answer.ok || answer.body === null) throw new Error(`The file answered ${answer.status}`);
  const bytes = { total: 0, lines: 0 };
  for await (const chunk of answer.body) {
    bytes.total += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) bytes.lines += 1;
  }
  return { bytes, ms: performance.now() - started };
}

interface Memory {
  now(): Promise<number>;
  /** The largest of each tenth since the last time. */
  take(): readonly number[];
  stop(): void;
}

function watchMemory(pid: number): Memory {
  let samples: number[] = [];
  const now = async (): Promise<number> => {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kib) / MIB);
  };
  const timer = setInterval(() => {
    now().then(
      (mib) => samples.push(mib),
      () => undefined, // the process has ended
    );
  }, SAMPLE_MS);
  return {
    now,
    take: () => {
      const taken = samples;
      samples = [];
      const tenth = Math.max(1, Math.ceil(taken.length / 10));
      return Array.from({ length: Math.ceil(taken.length / tenth) }, (_, i) =>
        Math.max(...taken.slice(i * tenth, (i + 1) * tenth)),
      );
    },
    stop: () => clearInterval(timer),
  };
}
