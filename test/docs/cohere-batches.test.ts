/** The commands of docs/behaviour/files-and-batches.md#cohere, in their order. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { embeddedFile } from '../kit/avro.ts';
import { startCohere } from '../kit/cohere.ts';
import { startWorld } from '../kit/gateway.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { blocksOf } from './documents.ts';

const MAX_MS = 30_000;

test('rows are uploaded, embedded and read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await using cohere = await startCohere();
  const account = { provider: 'cohere', customHost: cohere.url, secret: 'co-secret-0123456789' };
  await using world = await startWorld({ entries: () => [provider('cohere', account)] });
  const run = async (script: string, given: Readonly<Record<string, string>> = {}): Promise<string> => {
    const commands = script.replaceAll('http://127.0.0.1:8787', world.url).replaceAll(/^curl/gm, 'curl -sS --fail');
    const env = { ...process.env, API_KEY: KEY, ...given };
    const options = { cwd: folder, env, timeout: MAX_MS };
    return (await promisify(execFile)('bash', ['-ec', commands], options)).stdout;
  };
  const shell = blocksOf('docs/behaviour/files-and-batches.md').filter(({ language }) => language === 'sh');
  const [upload = '', look = '', create = '', read = '', ...more] = shell.map(({ text }) => text);
  expect(more).toEqual([]);

  const { id: FILE } = JSON.parse(await run(upload));
  expect(cohere.rows.get(FILE)).toMatchObject([
    { custom_id: 'paris', text: 'Paris' },
    { custom_id: 'rome', text: 'Rome' },
  ]);
  expect(JSON.parse(await run(look, { FILE })).status).toBe('uploaded');
  cohere.datasets.set(FILE, { ...cohere.datasets.get(FILE), validation_status: 'validated' });
  expect(JSON.parse(await run(look, { FILE })).status).toBe('processed');

  const { id: BATCH, status } = JSON.parse(await run(create, { FILE }));
  expect(status).toBe('in_progress');
  const rows = ['paris', 'rome'].map((custom_id, at) => ({ custom_id, text: 'x', vector: [at] }));
  cohere.objects.set('1', embeddedFile(rows));
  cohere.datasets.set('out', { id: 'out', dataset_parts: [{ index: 0, url: `${cohere.url}/storage/1` }] });
  cohere.jobs.set(BATCH, { ...cohere.jobs.get(BATCH), status: 'complete', output_dataset_id: 'out' });
  const [batch = '', ...lines] = (await run(read, { BATCH })).replace('}{', '}\n{').trim().split('\n');
  expect(JSON.parse(batch)).toMatchObject({ status: 'completed', model: 'embed-english-v3.0', input_file_id: FILE });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { custom_id: 'paris', response: { body: { data: [{ embedding: [0] }] } } },
    { custom_id: 'rome', response: { body: { data: [{ embedding: [1] }] } } },
  ]);
});
