/** The installation that a command is about. */
import { readFile, stat } from 'node:fs/promises';
import { createRestClient, type RestClient, RestFailure } from '../../rest-client/index.ts';
import { FAMILIES, type Family, findFamily } from '../../rest-families/index.ts';
import { createServedObjects, type ServedObjects } from '../../rest-objects/index.ts';
import { API_KEY_VARIABLE, URL_VARIABLE } from '../../variables.ts';
import type { Invocation, Option } from '../command.ts';
import { CommandError, type Shell, UsageError } from '../shell.ts';

const DEFAULT_PORT = 8787;
/** Larger files hold no key. */
const MAX_KEY_BYTES = 4_096;

/** A key on the command line would be in the list of processes and in the history of the shell: there is no option for it. */
export const CONNECTION_OPTIONS: Readonly<Record<string, Option>> = {
  workspace: { value: 'WORKSPACE', short: 'w', summary: 'the workspace, for keys of the organisation' },
  url: { value: 'URL', summary: `the gateway (${URL_VARIABLE}, else port PORT, or 8787, of this machine)` },
  'key-file': {
    value: 'FILE',
    summary: `a file with the gateway key (absent: ${API_KEY_VARIABLE})`,
    completes: 'files',
  },
};

export const KEY_NOTE = `The key is in ${API_KEY_VARIABLE} or in a file; it needs the scopes of what is read and written.`;

export const KIND_NAMES: readonly string[] = FAMILIES.map(({ kind }) => kind.toLowerCase());

/** Throws UsageError for a Kind that these commands do not have. */
export function familyNamed(kind: string): Family {
  const family = findFamily(kind);
  if (family !== undefined) return family;
  throw new UsageError(`${kind} is none of ${FAMILIES.map(({ kind: known }) => known).join(', ')}`);
}

export async function connect({ shell, options }: Pick<Invocation, 'shell' | 'options'>): Promise<ServedObjects> {
  return createServedObjects(await connectClient({ shell, options }));
}

export async function connectClient({ shell, options }: Pick<Invocation, 'shell' | 'options'>): Promise<RestClient> {
  const url = urlOf(options, shell);
  return createRestClient({ url, key: await keyOf(options, shell) });
}

function urlOf({ url }: Invocation['options'], { variables }: Shell): URL {
  const given = url ?? (variables[URL_VARIABLE] || `http://127.0.0.1:${variables['PORT'] || DEFAULT_PORT}`);
  const parsed = URL.parse(given);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw new UsageError(`--url takes an http or https URL without credentials, not ${given}`);
  }
  return parsed;
}

async function keyOf({ 'key-file': file }: Invocation['options'], { variables }: Shell): Promise<string> {
  const key = file === undefined ? variables[API_KEY_VARIABLE] : await fromFile(file);
  if (key === undefined || key === '')
    throw new CommandError(`set ${API_KEY_VARIABLE}, or name a file with --key-file`);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new CommandError('the key has characters that no header can carry');
}

async function fromFile(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.size > MAX_KEY_BYTES) throw new CommandError(`${file} is no file with a key`);
  return (await readFile(file, 'utf8')).trim();
}

/** A failure of a call as the end of a command. */
export function throwFailure(error: unknown): never {
  if (!(error instanceof RestFailure)) throw error;
  const needsWorkspace = error.fields.some(({ param }) => param === 'workspace_id') && error.status === 400;
  throw new CommandError(needsWorkspace ? 'a key of the organisation needs --workspace' : error.message);
}
