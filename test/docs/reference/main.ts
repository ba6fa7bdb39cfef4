/** Writes the data plane's reference pages; with `--check` compares them with what is committed. */
import { fileURLToPath } from 'node:url';
import { syncFiles } from '@gatehouse/crds/gen';
import { dataPlanePages } from './pages.ts';

const check = process.argv.includes('--check');
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { stale } = syncFiles(dataPlanePages(), { root, folders: [], check });

if (!check) console.log(`${stale.length} written`);
else for (const path of stale) console.error(`not up to date: ${path}`);
if (check && stale.length > 0) process.exitCode = 1;
