/** Writes the import rules for Biome; with `--check` compares them with what is committed. */
import { fileURLToPath } from 'node:url';
import { syncFiles } from '@gatehouse/crds/gen';
import { EVERYWHERE, LAYERS, RULES } from './import-rules.ts';
import { layerRules, toOverrides } from './overrides.ts';

const check = process.argv.includes('--check');
const root = fileURLToPath(new URL('../../', import.meta.url));
const overrides = toOverrides([...LAYERS.flatMap(layerRules), ...RULES], EVERYWHERE);
const files = new Map([['scripts/lint/import-rules.generated.json', `${JSON.stringify({ overrides }, null, 2)}\n`]]);
const { stale } = syncFiles(files, { root, folders: [], check });

if (!check) process.stdout.write(`${stale.length} written\n`);
else for (const path of stale) process.stderr.write(`not up to date: ${path}\n`);
if (check && stale.length > 0) process.exitCode = 1;
