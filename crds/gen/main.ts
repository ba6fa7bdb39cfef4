/** Writes the generated files; with `--check` compares them with what is committed and fails on a difference. */
import { fileURLToPath } from 'node:url';
import { GENERATED_FOLDERS, generatedFiles } from './outputs.ts';
import { syncFiles } from './sync.ts';

const check = process.argv.includes('--check');
const root = fileURLToPath(new URL('../../', import.meta.url));
const { stale, leftovers } = syncFiles(generatedFiles(), { root, folders: GENERATED_FOLDERS, check });

if (!check) console.log(`${stale.length} written, ${leftovers.length} removed`);
else for (const path of [...stale, ...leftovers]) console.error(`not up to date: ${path}`);
if (check && stale.length + leftovers.length > 0) process.exitCode = 1;
