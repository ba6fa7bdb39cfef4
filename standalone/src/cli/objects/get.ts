import type { Family } from '../../rest-families/index.ts';
import { type Served, type ServedObjects, toResource } from '../../rest-objects/index.ts';
import { toPrintable } from '../../terminal/index.ts';
import type { Command } from '../command.ts';
import { CommandError, UsageError } from '../shell.ts';
import { tableOf } from './columns.ts';
import { CONNECTION_OPTIONS, connect, familyNamed, KEY_NOTE, KIND_NAMES, throwFailure } from './connection.ts';
import { toYaml } from './yaml.ts';

const FORMATS = ['table', 'yaml', 'json', 'name'] as const;

/** Shows objects of an installation. */
export const get: Command = {
  name: 'get',
  summary: 'shows objects of an installation, by its management API',
  operands: { value: 'KIND [NAME]', kinds: KIND_NAMES, named: true },
  options: {
    output: {
      value: FORMATS.join('|'),
      short: 'o',
      summary: 'output format; yaml and json are resources',
      default: 'table',
      choices: FORMATS,
    },
    ...CONNECTION_OPTIONS,
  },
  notes: [KEY_NOTE, 'Secrets are never shown: resources name the entry of a Secret that has to be there.'],
  examples: [
    { purpose: 'all virtual keys of a workspace', line: 'gatehouse get virtualkeys --workspace team-a' },
    { purpose: 'one config as a resource', line: 'gatehouse get gatewayconfig fallback -w team-a -o yaml' },
  ],
  async run({ shell, options, operands }) {
    const [kind = '', name, ...more] = operands;
    if (more.length > 0) throw new UsageError(`takes one name, not ${more.length + 1}`);
    const family = familyNamed(kind);
    const served = await connect({ shell, options });
    const objects = await read(served, { family, name, workspace: options['workspace'] }).catch(throwFailure);
    if (objects.length === 0 && options['output'] === 'table') shell.err(`No ${family.kind} found`);
    else
      for (const line of linesOf(objects, { family, isOne: name !== undefined, format: options['output'] }))
        shell.out(shell.interactive ? toPrintable(line) : line);
    return 0;
  },
};

interface Asked {
  readonly family: Family;
  /** Undefined: all. */
  readonly name: string | undefined;
  readonly workspace: string | undefined;
}

async function read(served: ServedObjects, { family, name, workspace }: Asked): Promise<readonly Served[]> {
  if (name === undefined) return served.list(family, workspace);
  const object = await served.get(family, name, workspace);
  if (object === undefined) throw new CommandError(`${family.kind}/${name} does not exist`);
  return [object];
}

interface Shown {
  readonly family: Family;
  /** It was named: it is no list. */
  readonly isOne: boolean;
  readonly format: string | undefined;
}

function linesOf(objects: readonly Served[], { family, isOne, format }: Shown): readonly string[] {
  if (format === 'table') return tableOf(family, objects, Date.now());
  if (format === 'name') return objects.map(({ name }) => name);
  const resources = objects.map((one) => toResource(one, undefined));
  const shown = isOne ? resources[0] : { apiVersion: 'v1', kind: 'List', items: resources };
  return (format === 'json' ? JSON.stringify(shown, null, 2) : toYaml(shown)).split('\n');
}
