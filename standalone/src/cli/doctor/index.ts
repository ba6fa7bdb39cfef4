/** `gatehouse doctor`: what would keep a process from serving, told before it starts. */
import { versions } from 'node:process';
import { type GatewaySettings, probeRedis } from '@gatehouse/gateway';
import { canStoreAdminKey, loadAdminKey } from '../../app/index.ts';
import { findProviders, toResources, unsendableText } from '../../environment-resources/index.ts';
import {
  countProblems,
  createResourceFolder,
  type FolderState,
  problemLines,
  stateOfResources,
} from '../../resource-folder/index.ts';
import { createStyle, hasColours } from '../../terminal/index.ts';
import { ADMIN_KEY } from '../../variables.ts';
import { type Command, type Invocation, portOf } from '../command.ts';
import { checkFolder, settingsOf } from '../preflight.ts';
import { CommandError, type Shell, UsageError } from '../shell.ts';
import { type Check, checkLines, failed, okay, unknown } from './check.ts';
import { checkIssuers } from './issuers.ts';
import { checkPorts } from './ports.ts';
import { checkProviders } from './providers.ts';

type Options = Invocation['options'];

const MAX_PROBLEM_LINES = 20;
const LOOPBACK = '127.0.0.1';

export const doctor: Command = {
  name: 'doctor',
  summary: 'checks ports, settings, resources, Redis, issuers and providers before a process serves them',
  options: {
    resources: {
      value: 'DIR',
      summary: 'the folder of resources; absent: what the environment provides',
      completes: 'folders',
    },
    host: { value: 'ADDRESS', summary: 'address of the listeners (HOST, else 127.0.0.1)' },
    port: { value: 'PORT', summary: 'main listener (PORT, else 8787)' },
    'admin-port': { value: 'PORT', summary: 'admin listener (GATEHOUSE_ADMIN_PORT, else 8789)' },
    data: { value: 'DIR', summary: 'folder of the admin key', default: '.gatehouse', completes: 'folders' },
    offline: { summary: 'asks no provider and no issuer' },
    call: { value: '@NAME/MODEL', summary: 'also asks this provider for one token, which it may charge' },
    timeout: { value: 'SECONDS', summary: 'longest wait for a provider', default: '10' },
  },
  notes: [
    'Providers are asked for their list of models, with the credential that requests would use; that costs nothing.',
    'Issuers of tokens are asked for their keys, which the algorithms of the Organisation must fit.',
    'Exit status: 0 unless a check failed, then 1. "unknown" is what could not be told.',
  ],
  examples: [
    { purpose: 'without the network', line: 'gatehouse doctor --resources examples --port 0 --admin-port 0 --offline' },
    { purpose: 'with providers and a call', line: 'gatehouse doctor --resources examples --call @openai/gpt-4o-mini' },
  ],
  async run({ shell, options }) {
    const style = createStyle(hasColours(shell.interactive, shell.variables));
    const checks: Check[] = [];
    for await (const check of runChecks(options, shell)) {
      checks.push(check);
      for (const line of checkLines(check, style)) shell.out(line);
    }
    const count = checks.filter(({ status }) => status === 'failed').length;
    if (count > 0) shell.err(`${count} of ${checks.length} checks failed`);
    return count > 0 ? 1 : 0;
  },
};

async function* runChecks(options: Options, { variables }: Shell): AsyncGenerator<Check> {
  const timeoutMs = secondsOf(options['timeout'] ?? '') * 1_000;
  const call = callOf(options);
  const ports = portsOf(options);
  yield okay('node', versions.node);
  const settings = orCheck('settings', () => settingsOf(variables));
  if ('status' in settings) {
    yield settings;
    return;
  }
  yield okay('settings', 'the environment is valid');
  const { listen, redis } = settings;
  const host = options['host'] ?? listen.host ?? LOOPBACK;
  yield* await checkPorts([
    { name: 'port', host, port: ports.main ?? listen.port },
    { name: 'admin', host: listen.adminHost ?? host, port: ports.admin ?? listen.adminPort },
  ]);
  yield await checkAdminKey(options['data'] ?? '', variables[ADMIN_KEY]);
  yield await checkRedis(redis);
  const { resources } = options;
  if (resources === undefined) yield* checkVariables(variables);
  const state =
    resources === undefined
      ? fromEnvironment(settings, variables)
      : await readResources(resources, settings, variables);
  if ('status' in state) {
    yield state;
    if (call !== undefined) yield failed('call', `${call}: there are no resources, so no provider is served`);
    return;
  }
  yield checkResources(resources, state);
  const isOffline = options['offline'] !== undefined;
  yield* await checkIssuers({ snapshot: state.snapshot, settings, isOffline });
  if (isOffline) yield unknown('provider', 'none was asked: --offline');
  else yield* await checkProviders({ snapshot: state.snapshot, settings, variables, timeoutMs, call });
}

function portsOf(options: Options): { readonly main: number | undefined; readonly admin: number | undefined } {
  const read = (name: string): number | undefined =>
    options[name] === undefined ? undefined : portOf(name, options[name]);
  return { main: read('port'), admin: read('admin-port') };
}

const CALL = /^@[^/\s]+\/\S+$/;

function callOf({ call, offline }: Options): string | undefined {
  if (call !== undefined && !CALL.test(call)) throw new UsageError(`--call takes @NAME/MODEL, not ${call}`);
  if (call !== undefined && offline !== undefined) throw new UsageError('--call and --offline exclude each other');
  return call;
}

const MAX_SECONDS = 600;

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,3}$/.test(text) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(`--timeout takes seconds from 1 to ${MAX_SECONDS}, not ${text}`);
}

/** The result, or the check that its error fails. */
function orCheck<T extends object>(subject: string, run: () => T): T | Check {
  try {
    return run();
  } catch (error) {
    if (error instanceof CommandError) return failed(subject, error.message);
    throw error;
  }
}

async function checkAdminKey(folder: string, given: string | undefined): Promise<Check> {
  const key = await loadAdminKey(folder, given);
  if (!key.ok) return failed('admin key', key.error);
  if (key.value.fresh !== undefined) {
    const stores = await canStoreAdminKey(folder);
    if (!stores.ok) return failed('admin key', stores.error);
    return okay('admin key', `the first start generates it, and keeps it in ${folder}, which can be written`);
  }
  const isGiven = (given ?? '').trim() !== '';
  return okay('admin key', isGiven ? `it is in ${ADMIN_KEY}` : `it was generated by the first start, in ${folder}`);
}

async function checkRedis(redis: GatewaySettings['redis']): Promise<Check> {
  if (redis === undefined) return okay('redis', 'not configured: state and cache are in memory');
  const where = redis.nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
  const probe = await probeRedis(redis);
  return probe.ok ? okay('redis', `${where} answers`) : failed('redis', `${where}: ${probe.error}`);
}

/** Variables that were most likely meant to be served. */
const checkVariables = (variables: Shell['variables']): readonly Check[] =>
  findProviders(variables, variables[ADMIN_KEY]).unsendable.map((name) => failed('variables', unsendableText(name)));

/** What a process without a folder serves. */
function fromEnvironment({ caps }: GatewaySettings, variables: Shell['variables']): FolderState | Check {
  const { found } = findProviders(variables, variables[ADMIN_KEY]);
  if (found.length === 0) return unknown('resources', 'no folder was given, and no variable has the key of a provider');
  return stateOfResources('the environment', toResources(found), { variables, caps });
}

async function readResources(
  folder: string,
  { caps }: GatewaySettings,
  variables: Shell['variables'],
): Promise<FolderState | Check> {
  try {
    await checkFolder(folder);
  } catch (error) {
    if (error instanceof CommandError) return failed('resources', error.message);
    throw error;
  }
  const resources = createResourceFolder([folder], { variables, caps, now: () => performance.now() });
  return (await resources.refresh()).state;
}

function checkResources(folder: string | undefined, { problems, objects, files }: FolderState): Check {
  const what =
    folder === undefined
      ? `${objects} objects from variables with keys of providers`
      : `${folder}: ${objects} objects in ${files} files`;
  if (problems.length === 0) return okay('resources', what);
  const lines = problemLines(problems);
  const more = lines.length - MAX_PROBLEM_LINES;
  return {
    ...failed('resources', `${what}, ${countProblems(problems)}`),
    details: [
      ...lines.slice(0, MAX_PROBLEM_LINES),
      ...(more > 0 ? [`and ${more} lines more: gatehouse validate`] : []),
    ],
  };
}
