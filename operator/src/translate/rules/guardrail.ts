import { checkEntryOf, parseCheck } from '@gatehouse/crds/guardrails';
import type { Guardrail } from '@gatehouse/crds/kinds';
import { digestOf, type EntryBody, entryId } from '@gatehouse/crds/snapshot';
import { credentialName } from '../incremental/index.ts';
import { defineRule, type EntryDraft, type Finding, type Lookups, type ObjectScope } from '../types/index.ts';
import { checkCredential, mergeReach, reachOf } from './shared/index.ts';

type Body = EntryBody<'guardrail'>;
type StoredCheck = Body['checks'][number];

export const guardrail = defineRule({
  kind: 'Guardrail',
  translate(resource, scope, view) {
    const { metadata, spec } = resource;
    const { workspace } = scope;
    const read = spec.checks.flatMap((item, i) => (item.enabled ? [readCheck(resource, i, { scope, view })] : []));
    const reached = reachOf(resource, scope, view);
    const reach = read.reduce(
      (all, { home }) => mergeReach(all, home && reachOf(home, scope, view).reach),
      reached.reach,
    );
    const rules = { type: spec.type, checks: read.map(({ check }) => check), ...actionsOf(spec.actions) };
    const body = {
      ...rules,
      slug: metadata.name,
      version: digestOf(rules),
      ...(reach === undefined ? {} : { reach }),
    };
    return {
      entries: [...read.flatMap(({ entries }) => entries), { kind: 'guardrail', workspace, name: metadata.name, body }],
      findings: [...read.flatMap(({ findings }) => findings), ...reached.findings],
    };
  },
});

interface ReadCheck {
  readonly check: StoredCheck;
  readonly entries: readonly EntryDraft[];
  readonly findings: readonly Finding[];
  /** The Integration of the same owner whose credential the check has. */
  readonly home: Parameters<typeof reachOf>[0] | undefined;
}

interface Context {
  readonly scope: ObjectScope;
  readonly view: Lookups;
}

/** One check of the resource, which has been checked before. */
function readCheck({ metadata, spec }: Guardrail, i: number, { scope, view }: Context): ReadCheck {
  const path = ['spec', 'checks', i];
  const { parametersSecretRef, ...item } = spec.checks[i] ?? { id: '' };
  const parsed = parseCheck(item, { path, literalCredentials: false, patterns: 'checked' });
  const entry = checkEntryOf(item.id);
  if (!parsed.ok || entry === undefined) throw new Error(`the check ${item.id} has passed the schema and is not known`);
  const { id, name, softDeny200, failOnError } = parsed.value;
  const { open, hidden } = split(parsed.value.parameters, entry.secretParameters ?? []);
  const namesAddress = (entry.addressParameters ?? []).some((name) => spec.checks[i]?.parameters?.[name] !== undefined);
  const asked = { ref: parametersSecretRef, owner: metadata.name, index: i, namesAddress };
  const given = checkCredential(entry, asked, { scope, view });
  const parametersFrom = credentialName(['Guardrail', metadata.name, 'parameters', String(i)]);
  const { workspace } = scope;
  const hasHidden = Object.keys(hidden).length > 0;
  return {
    check: {
      id,
      ...(name === undefined ? {} : { name }),
      parameters: open,
      ...(softDeny200 === undefined ? {} : { softDeny200 }),
      ...(failOnError ? { failOnError } : {}),
      ...(given.credential === undefined ? {} : { credential: given.credential }),
      ...(hasHidden ? { parametersFrom: entryId('credential', workspace, parametersFrom) } : {}),
    },
    entries: [
      ...given.entries,
      ...(hasHidden
        ? [{ kind: 'credential' as const, workspace, name: parametersFrom, body: { fields: {}, parameters: hidden } }]
        : []),
    ],
    findings: given.findings,
    home: given.integration,
  };
}

/** Parameters that may be secret are published as secrets: in no ConfigMap. */
function split(parameters: StoredCheck['parameters'], secret: readonly string[]) {
  const isHidden = ([name, value]: readonly [string, unknown]): boolean => secret.includes(name) && value !== undefined;
  const all = Object.entries(parameters);
  return {
    open: Object.fromEntries(all.filter((one) => !isHidden(one))),
    hidden: Object.fromEntries(all.filter(isHidden).map(([name, value]) => [name, JSON.stringify(value)])),
  };
}

function actionsOf(actions: Guardrail['spec']['actions']) {
  const { deny = false, async = false, sequential = false, softDeny200 = false, buffer = false } = actions ?? {};
  const { mode = 'enforce', window, message, onSuccess, onFail } = actions ?? {};
  return {
    deny,
    async,
    sequential,
    ...(softDeny200 ? { softDeny200 } : {}),
    ...(mode === 'enforce' ? {} : { mode }),
    ...(buffer ? { buffer } : {}),
    ...(window === undefined ? {} : { window }),
    ...(message === undefined ? {} : { message }),
    ...(onSuccess?.feedback === undefined ? {} : { onSuccess: onSuccess.feedback }),
    ...(onFail?.feedback === undefined ? {} : { onFail: onFail.feedback }),
  } satisfies Partial<Body>;
}
