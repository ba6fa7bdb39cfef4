import { arch, platform, versions } from 'node:process';
import { API_VERSION } from '@gatehouse/crds/kinds';
import { SCHEMA_VERSION } from '@gatehouse/crds/snapshot';
import packageJson from '../../package.json' with { type: 'json' };
import type { Command } from './command.ts';

export const PACKAGE_VERSION: string = packageJson.version;

export const version: Command = {
  name: 'version',
  summary: 'shows the versions of the program, of the resources it reads and of the engine it runs on',
  options: { format: { value: 'text|json', summary: 'output format', default: 'text', choices: ['text', 'json'] } },
  examples: [
    { purpose: 'for a report of a problem', line: 'gatehouse version' },
    { purpose: 'for a script', line: 'gatehouse version --format json' },
  ],
  async run({ shell, options: { format } }) {
    const { major, minor } = SCHEMA_VERSION;
    const shown = {
      gatehouse: PACKAGE_VERSION,
      resources: API_VERSION,
      snapshot: `${major}.${minor}`,
      node: versions.node,
      platform: `${platform}-${arch}`,
    };
    const lines = Object.entries(shown).map(([name, text]) => `${name} ${text}`);
    shell.out(format === 'json' ? JSON.stringify(shown) : lines.join('\n'));
    return 0;
  },
};
