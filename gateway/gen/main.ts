/** Writes the generated price catalogue; with `--check` compares it with what is committed and fails on a difference. */
import { fileURLToPath } from 'node:url';
import { syncFiles } from '@gatehouse/crds/gen';
import { catalogueFiles } from './catalogue.ts';

const check = process.argv.includes('--check');
const root = fileURLToPath(new URL('../../', import.meta.url));
const { stale } = syncFiles(await catalogueFiles(), { root, folders: [], check });

if (!check) process.stdout.write(`${stale.length} written\n`);
else for (const path of stale) process.stderr.write(`not up to date: ${path}\n`);
if (check && stale.length > 0) process.exitCode = 1;
