/** The checks of a guardrail: what may be secret in them goes in, and is shown masked. */
import { isDeepStrictEqual } from 'node:util';
import { type Issue, isObject } from '@gatehouse/crds';
import { checkEntryOf, parseCheck } from '@gatehouse/crds/guardrails';
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { guardrails } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { invalid } from '../../http/rest-error.ts';
import type { SecretDraft } from '../../store/index.ts';
import { isMasked, MASK, masked } from '../masks.ts';

type Given = z.output<typeof guardrails.create.body>['checks'][number];
type Check = ResourceOf<'Guardrail'>['spec']['checks'][number];
type Parameters = Readonly<Record<string, unknown>>;

interface Known {
  /** The checks that the guardrail has. */
  readonly before: readonly Check[];
  /** For new credentials: those of other checks are never in it. */
  readonly secretName: string;
}

interface ChecksOfDraft {
  readonly checks: readonly object[];
  readonly secret: SecretDraft | undefined;
  /** Secrets that no check names any more. */
  readonly retired: readonly string[];
}

/** The checks of a body for a draft, with their credentials in the Secret of the guardrail. Throws RestError INVALID. */
export function toChecks(given: readonly Given[], known: Known): ChecksOfDraft {
  const entries = new Map<string, string>();
  const checks = given.map((check, i) => toCheck(check, { ...known, i, entries }));
  const secret = { name: known.secretName, entries: Object.fromEntries(entries) };
  const used = new Set(checks.map(({ parametersSecretRef: ref }) => ref?.name));
  const retired = secretsOf(known.before).filter((name) => !used.has(name));
  return { checks, secret: entries.size === 0 ? undefined : secret, retired };
}

/** The Secrets that checks name. */
export const secretsOf = (checks: readonly Check[]): readonly string[] => [
  ...new Set(checks.flatMap(({ parametersSecretRef: ref }) => (ref === undefined ? [] : [ref.name]))),
];

interface Context extends Known {
  /** Position of the check. */
  readonly i: number;
  /** Those of the Secret. */
  readonly entries: Map<string, string>;
}

function toCheck(check: Given, context: Context) {
  const { id, name, is_enabled: enabled, soft_deny_200: softDeny200 } = check;
  const { credentials, ...given } = check.parameters ?? {};
  const before = checkBefore(check, context);
  const parameters = withSecrets(id, given, { before, i: context.i });
  return {
    id,
    name: name ?? undefined,
    enabled: enabled ?? undefined,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
    parametersSecretRef: secretRefOf(check, { credentials, before }, context),
    softDeny200: softDeny200 ?? undefined,
  };
}

const idOf = (id: string): string => checkEntryOf(id)?.id ?? id;

/** The check of the same id and name, where there is one alone. */
function checkBefore({ id, name }: Given, { before }: Known): Check | undefined {
  const same = before.filter((check) => idOf(check.id) === idOf(id) && check.name === (name ?? undefined));
  return same.length === 1 ? same[0] : undefined;
}

interface Before {
  readonly before: Check | undefined;
  readonly i: number;
}

/** Parameters that are masked are those that are there. */
function withSecrets(id: string, given: Parameters, { before, i }: Before): Parameters {
  const names = checkEntryOf(id)?.secretParameters ?? [];
  const kept = names.flatMap((name): [string, unknown][] => {
    if (!isMasked(given[name])) return [];
    const value = before?.parameters?.[name];
    const path = ['checks', i, 'parameters', name];
    if (!isDeepStrictEqual(masked(value), given[name])) throw problem(path, 'it is masked; send the value');
    if (isMoved(id, given, before)) throw problem(path, SEND_ANEW);
    return [[name, value]];
  });
  return { ...given, ...Object.fromEntries(kept) };
}

const SEND_ANEW = 'it would go to another address: send it along';

/** Whether what is secret would go to another address than before. */
function isMoved(id: string, given: Parameters, before: Check | undefined): boolean {
  const addresses = checkEntryOf(id)?.addressParameters ?? [];
  return addresses.some((name) => given[name] !== before?.parameters?.[name]);
}

interface OfCheck extends Pick<Before, 'before'> {
  readonly credentials: unknown;
}

function secretRefOf(check: Given, of: OfCheck, context: Context): Check['parametersSecretRef'] {
  const { credentials } = of;
  if (credentials === null) return undefined;
  if (credentials === undefined || isMasked(credentials)) return keptRef(check, of, context);
  return newRef(check, credentials, context);
}

const credentialsPath = (i: number): Issue['path'] => ['checks', i, 'parameters', 'credentials'];

function keptRef(check: Given, { credentials, before }: OfCheck, { i }: Context): Check['parametersSecretRef'] {
  const kept = before?.parametersSecretRef;
  if (kept === undefined && credentials !== undefined) {
    throw problem(credentialsPath(i), 'it is masked; send the value');
  }
  if (kept !== undefined && isMoved(check.id, check.parameters ?? {}, before)) {
    throw problem(credentialsPath(i), SEND_ANEW);
  }
  return kept;
}

function newRef(check: Given, credentials: unknown, { i, entries, secretName }: Context): { readonly name: string } {
  const asked = { id: check.id, parameters: { ...check.parameters, credentials } };
  const parsed = parseCheck(asked, { path: ['checks', i], literalCredentials: true });
  if (!parsed.ok) throw invalid(parsed.error, 'body');
  for (const [name, value] of Object.entries(parsed.value.credential ?? {})) {
    if ((entries.get(name) ?? value) !== value) {
      throw problem(
        [...credentialsPath(i), name],
        'another check has a different value; put credentials into Integrations instead',
      );
    }
    entries.set(name, value);
  }
  return { name: secretName };
}

const problem = (path: Issue['path'], message: string) => invalid([{ code: 'invalid', path, message }], 'body');

/** The check as the API shows it. */
export function showCheck({ id, name, enabled, softDeny200, parameters = {}, parametersSecretRef }: Check) {
  const entry = checkEntryOf(id);
  const hidden = (entry?.secretParameters ?? []).filter((member) => parameters[member] !== undefined);
  const fields = entry?.credential?.fields.filter(({ secret }) => secret) ?? [];
  return {
    id,
    ...(name === undefined ? {} : { name }),
    is_enabled: enabled,
    ...(softDeny200 === undefined ? {} : { soft_deny_200: softDeny200 }),
    parameters: {
      ...(isObject(parameters) ? parameters : {}),
      ...Object.fromEntries(hidden.map((member) => [member, masked(parameters[member])])),
      ...(parametersSecretRef === undefined
        ? {}
        : { credentials: Object.fromEntries(fields.map(({ name: field }) => [field, MASK])) }),
    },
  };
}
