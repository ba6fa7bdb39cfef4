/** Writes what is generated for installation; with `--check` compares it with what is committed and fails on a difference. */
import { fileURLToPath } from 'node:url';
import { syncFiles } from '@gatehouse/crds/gen';
import { GENERATED_FOLDERS, generatedFiles } from './outputs.ts';

const check = process.argv.includes('--check');
const root = fileURLToPath(new URL('../../', import.meta.url));
const { stale, leftovers } = syncFiles(generatedFiles(), { root, folders: GENERATED_FOLDERS, check });

if (!check) process.stdout.write(`${stale.length} written, ${leftovers.length} removed\n`);
else for (const path of [...stale, ...leftovers]) process.stderr.write(`not up to date: ${path}\n`);
if (check && stale.length + leftovers.length > 0) process.exitCode = 1;
