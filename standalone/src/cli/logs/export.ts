import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { RestClient } from '../../rest-client/index.ts';
import type { Invocation } from '../command.ts';
import { CommandError, UsageError } from '../shell.ts';
import { filtersOf, limitOf } from './filters.ts';

const USUAL_ROWS = 50_000;
const MAX_ROWS = 1_000_000;
const POLL_MS = 500;
const USUAL_FIELDS = [
  ...['id', 'trace_id', 'created_at', 'ai_org', 'ai_model', 'response_status_code', 'response_time'],
  ...['req_units', 'res_units', 'total_units', 'cost', 'cost_currency', 'config', 'prompt_slug', 'metadata'],
];

/** Makes an export, waits for it and writes its file, which must not exist. */
export async function exportLogs(invocation: Invocation, client: RestClient): Promise<number> {
  const { shell, options, operands } = invocation;
  if (operands.length > 0) throw new UsageError('export takes no operands');
  const { file, workspace, fields } = options;
  if (file === undefined) throw new UsageError('--file is missing');
  if ((await stat(file).catch(() => undefined)) !== undefined) throw new CommandError(`${file} exists`);
  const { workspace_slug: _, ...filters } = filtersOf(invocation, Date.now());
  const body = {
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
    filters: { ...filters, page_size: limitOf(invocation, USUAL_ROWS, MAX_ROWS) },
    requested_data: fields === undefined ? USUAL_FIELDS : fields.split(',').map((field) => field.trim()),
    description: 'gatehouse logs export',
  };
  const { id } = await client.call('POST', '/logs/exports', { body });
  const path = `/logs/exports/${encodeURIComponent(String(id))}`;
  await client.call('POST', `${path}/start`, {});
  const records = await waitFor(path, client);
  const { signed_url: link } = await client.call('GET', `${path}/download`);
  await download(String(link), file);
  shell.err(`${records} rows in ${file}`);
  return 0;
}

async function waitFor(path: string, client: RestClient): Promise<number> {
  for (;;) {
    const { status, problem, total_records: records } = await client.call('GET', path);
    if (status === 'success') return Number(records);
    if (status !== 'in_progress') throw new CommandError(`the export is ${String(status)}: ${String(problem ?? '')}`);
    await delay(POLL_MS);
  }
}

/** The link is its own key: none is sent. */
async function download(link: string, file: string): Promise<void> {
  try {
    const answer = await fetch(link, { redirect: 'error' });
    if (!answer.ok || answer.body === null) throw new CommandError(`the file of the export: ${answer.status}`);
    await pipeline(answer.body, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} is not complete: ${error instanceof Error ? error.message : String(error)}`);
  }
}
