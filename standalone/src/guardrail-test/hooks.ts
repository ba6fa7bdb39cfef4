/** The guardrail of a test: resources of a file, or hooks as configs have them. */
import { err, type Issue, isObject, ok, type Result } from '@gatehouse/crds';
import { toCamel } from '@gatehouse/crds/config';
import {
  type CheckPhase,
  type CheckSpec,
  checkEntryOf,
  declaresHooks,
  HOOK_MEMBERS,
  type HookSpec,
  hooksOf,
  parseCheck,
  parseHooks,
} from '@gatehouse/crds/guardrails';
import { type Guardrail, parseResource } from '@gatehouse/crds/kinds';
import type { SourceDocument } from '../resource-folder/index.ts';
import { BadFile, documentsOf, located, problemAt } from './problem.ts';

/** The hooks by where they run. */
export type Hooks = Readonly<Record<CheckPhase, readonly HookSpec[]>>;

type Parsed = Result<Hooks, readonly Issue[]>;

const NONE: Hooks = { input: [], output: [] };

/** The Guardrails of a file, or the hooks of a config in it; `name` picks a Guardrail. Throws BadFile. */
export function readHooks(file: string, text: string, name: string | undefined): Hooks {
  const documents = documentsOf(file, text);
  const chosen = documents.filter(({ value }) => isMeant(value, name));
  if (chosen.length === 0) {
    throw problemAt(file, name === undefined ? 'expected a Guardrail or hooks' : `the file has no Guardrail ${name}`);
  }
  return chosen.map((document) => orThrow(parseDocument(document.value), file, document)).reduce(joined, NONE);
}

/** Hooks that a file of cases has in its member `guardrail`. Throws BadFile. */
export function inlineHooks(value: unknown, file: string): Hooks {
  const nowhere: SourceDocument = { value, locate: () => ({ line: 1, column: 1 }) };
  return orThrow(parseDocument(value, ['guardrail']), file, nowhere);
}

/** Other resources of the file, such as Secrets, are left alone. */
function isMeant(value: unknown, name: string | undefined): boolean {
  if (!isObject(value) || value['kind'] === undefined) return name === undefined;
  const metadata = value['metadata'];
  return value['kind'] === 'Guardrail' && (name === undefined || (isObject(metadata) && metadata['name'] === name));
}

function orThrow(parsed: Parsed, file: string, document: SourceDocument): Hooks {
  if (parsed.ok) return parsed.value;
  throw new BadFile(located(parsed.error, file, document));
}

const joined = (one: Hooks, other: Hooks): Hooks => ({
  input: [...one.input, ...other.input],
  output: [...one.output, ...other.output],
});

function parseDocument(value: unknown, path: Issue['path'] = []): Parsed {
  if (isObject(value) && value['kind'] === 'Guardrail') return parseGuardrail(value);
  const parsed = Array.isArray(value) ? parseList(value, path) : parseNode(value, path);
  if (!parsed.ok) return parsed;
  const stored = [...parsed.value.input, ...parsed.value.output].find(({ ref }) => ref !== undefined);
  if (stored === undefined) return parsed;
  return err([invalid(path, `${stored.ref} is a guardrail of its own: give the file that has it`)]);
}

/** Resources say nothing about where they run: that is up to the configs that name them. */
function parseGuardrail(value: unknown): Parsed {
  const parsed = parseResource('Guardrail', value);
  if (!parsed.ok) return parsed;
  const hook = hookOf(parsed.value);
  return ok({ input: [hook], output: [hook] });
}

function hookOf({ metadata, spec }: Guardrail): HookSpec {
  const { onSuccess: _success, onFail: _fail, ...actions } = spec.actions ?? {};
  return { ...actions, id: metadata.name, type: spec.type, checks: spec.checks.flatMap(checkOf) };
}

function checkOf({ parametersSecretRef: _, ...item }: Guardrail['spec']['checks'][number]): readonly CheckSpec[] {
  const parsed = parseCheck(item, { path: [], literalCredentials: false });
  return parsed.ok ? [parsed.value] : []; // it has been checked with the resource
}

function parseList(value: readonly unknown[], path: Issue['path']): Parsed {
  const hooks = parseHooks(value, { path, phase: 'input', literalCredentials: true });
  return hooks.ok ? ok({ input: hooks.value, output: hooks.value }) : hooks;
}

/** A config, in either spelling of its members. */
function parseNode(value: unknown, path: Issue['path']): Parsed {
  const node = isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [toCamel(key), one]))
    : {};
  const phases = (['input', 'output'] as const).filter((phase) => declaresHooks(node, phase));
  const members = Object.values(HOOK_MEMBERS).flat().join(', ');
  if (phases.length === 0) return err([invalid(path, `expected a Guardrail, a list of hooks, or one of ${members}`)]);
  const [input, output] = (['input', 'output'] as const).map((phase) =>
    hooksOf(node, phase, { path, literalCredentials: true }),
  );
  if (input === undefined || output === undefined) return ok(NONE);
  if (input.ok && output.ok) return ok({ input: input.value, output: output.value });
  return err([...(input.ok ? [] : input.error), ...(output.ok ? [] : output.error)]);
}

const invalid = (path: Issue['path'], message: string): Issue => ({ code: 'invalid', path, message });

export interface SplitHooks {
  readonly hooks: Hooks;
  /** Ids of checks that call a service. */
  readonly calling: readonly string[];
}

/** The hooks without the checks that call a service, which are no part of a test without a network. */
export function withoutCalls(all: Hooks): SplitHooks {
  const calling = new Set<string>();
  const isLocal = ({ id }: CheckSpec): boolean => {
    const callsOut = checkEntryOf(id)?.callsOut === true;
    if (callsOut) calling.add(id);
    return !callsOut;
  };
  const local = (hooks: readonly HookSpec[]) =>
    hooks.map((hook) => ({ ...hook, checks: (hook.checks ?? []).filter((check) => !check.enabled || isLocal(check)) }));
  return { hooks: { input: local(all.input), output: local(all.output) }, calling: [...calling] };
}
