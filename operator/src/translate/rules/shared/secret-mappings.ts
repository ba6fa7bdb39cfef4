/** Values that accounts take from SecretReferences: docs/behaviour/secret-references.md. */
import { err, isObject, ok, parseJson, type Result } from '@gatehouse/crds';
import type { SecretMapping, SecretReference } from '@gatehouse/crds/kinds';
import type { Lookups, ManagedValue, ObjectScope } from '../../types/index.ts';
import {
  type Finding,
  missing,
  notPermitted,
  objectKey,
  pending,
  secretKeyOf,
  secretUnread,
  verdictKey,
} from '../../types/index.ts';
import { fetchOf } from './managed-secret.ts';
import { textOf } from './secret-text.ts';

type Path = Finding['path'];

/** The mapped fields with their values, or what is wrong with each mapping: any of them may withdraw what is served. */
export function readMappings(
  mappings: readonly SecretMapping[] = [],
  scope: ObjectScope,
  view: Lookups,
): Result<Readonly<Record<string, string>>, readonly Finding[]> {
  const fields: [string, string][] = [];
  const findings: Finding[] = [];
  for (const [i, mapping] of mappings.entries()) {
    const path = ['spec', 'secretMappings', i];
    const value = readMapping(mapping, { path, scope, view });
    if (value.ok) fields.push([mapping.field, value.value]);
    else findings.push(value.error);
  }
  return findings.length === 0 ? ok(Object.fromEntries(fields)) : err(findings);
}

/** Names of the SecretReferences of mappings, each once. */
export const referencesOf = (mappings: readonly SecretMapping[] = []): readonly string[] =>
  [...new Set(mappings.map(({ secretReferenceRef }) => secretReferenceRef.name))].sort();

interface Context {
  readonly path: Path;
  readonly scope: ObjectScope;
  readonly view: Lookups;
}

function readMapping(mapping: SecretMapping, context: Context): Result<string, Finding> {
  const { path, view } = context;
  const { name } = mapping.secretReferenceRef;
  const found = findReference(name, context);
  if (!found.ok) return found;
  const { reference, scope } = found.value;
  const key = mapping.key ?? reference.spec.key;
  if (reference.spec.manager === 'Kubernetes') return readKubernetes(reference, key, context);
  const at = [...path, 'secretReferenceRef', 'name'];
  const fetch = fetchOf(reference, scope, view);
  const refersTo = [verdictKey('SecretReference', objectKey(scope.namespace, name))];
  if (!fetch.ok) return err(unusable(name, at, fetch.error, refersTo));
  const reading = view.managedSecret(scope.namespace, name);
  if (reading?.value === undefined || reading.target !== fetch.value?.target) {
    const failed = reading !== undefined && reading.target === fetch.value?.target && reading.problem !== undefined;
    return err(
      failed
        ? missing(at, `the SecretReference ${name} has no value: its status says why`, 'keep', refersTo)
        : pending(at, `the SecretReference ${name} is not fetched yet`),
    );
  }
  const picked = pick(reading.value, key, mapping.valueFormat);
  return picked.ok
    ? picked
    : err(missing(path, `the secret of the SecretReference ${name} ${picked.error}`, 'keep', refersTo));
}

/** What is wrong with a reference is told in its own status; here, only that something is. */
const unusable = (name: string, path: Path, { effect, reason }: Finding, refersTo: readonly string[]): Finding =>
  reason === 'Pending'
    ? pending(path, `the SecretReference ${name} is not fetched yet`)
    : missing(path, `the SecretReference ${name} cannot be used as it is`, effect, refersTo);

interface FoundReference {
  readonly reference: SecretReference;
  /** Of the reference. */
  readonly scope: ObjectScope;
}

/** A SecretReference of the own namespace, else one of the organisation that allows the workspace. */
export function findReference(name: string, { path, scope, view }: Context): Result<FoundReference, Finding> {
  const { namespace, workspace, settings } = scope;
  const at = [...path, 'secretReferenceRef', 'name'];
  const own = view.find('SecretReference', namespace, name);
  if (own !== undefined) return ok({ reference: own, scope });
  const refersTo = (home: string) => [verdictKey('SecretReference', objectKey(home, name))];
  if (view.isBroken('SecretReference', namespace, name))
    return err(missing(at, `the SecretReference ${name} is not valid`, 'keep', refersTo(namespace)));
  if (workspace === null)
    return err(missing(at, `the SecretReference ${name} does not exist`, 'withdraw', refersTo(namespace)));
  const { organisationNamespace } = settings;
  const shared = view.find('SecretReference', organisationNamespace, name);
  if (shared !== undefined && isAllowed(shared, workspace))
    return ok({ reference: shared, scope: { namespace: organisationNamespace, workspace: null, settings } });
  const message = `the SecretReference ${name} does not exist or does not allow the workspace`;
  return err(notPermitted(at, message, 'withdraw', [...refersTo(namespace), ...refersTo(organisationNamespace)]));
}

const isAllowed = ({ spec }: SecretReference, workspace: string): boolean =>
  spec.allowAllWorkspaces || spec.allowedWorkspaces?.includes(workspace) === true;

/** Whether entries made with the references may still be served. */
export function mayUseReferences(names: readonly string[], scope: ObjectScope, view: Lookups): boolean {
  return names.every((name) => {
    const found = findReference(name, { path: [], scope, view });
    if (!found.ok) return found.error.effect !== 'withdraw';
    const fetch = fetchOf(found.value.reference, found.value.scope, view);
    return fetch.ok || fetch.error.effect !== 'withdraw';
  });
}

function readKubernetes(
  { metadata, spec }: SecretReference,
  key: string | undefined,
  { path, view }: Context,
): Result<string, Finding> {
  const { namespace = '', name } = metadata;
  const why = kubernetesFinding({ metadata, spec }, [...path, 'secretReferenceRef', 'name'], view);
  const refersTo = [secretKeyOf(namespace, spec.path)];
  if (why !== undefined) return err(unusable(name, why.path, why, refersTo));
  if (key === undefined) return err(missing(path, `neither it nor the SecretReference ${name} names a key`, 'keep'));
  const data = view.secret(namespace, spec.path);
  const value = data === undefined ? undefined : textOf(data, key);
  if (value !== undefined) return ok(value);
  return err(missing(path, `the secret of the SecretReference ${name} has no member ${key}`, 'keep', refersTo));
}

/** Why the Secret of a reference with the manager Kubernetes cannot be read. */
export function kubernetesFinding(
  { metadata, spec }: Pick<SecretReference, 'metadata' | 'spec'>,
  path: Path,
  view: Lookups,
): Finding | undefined {
  const { namespace = '' } = metadata;
  const data = view.secret(namespace, spec.path);
  if (data === undefined) {
    const why = secretUnread(path, { namespace, secret: spec.path, view });
    return why ?? missing(path, `the Secret ${spec.path} does not exist`, 'keep', [secretKeyOf(namespace, spec.path)]);
  }
  if (spec.key === undefined || textOf(data, spec.key) !== undefined) return undefined;
  return missing(path, `the Secret ${spec.path} has no entry ${spec.key}`, 'keep', [secretKeyOf(namespace, spec.path)]);
}

/** The value of a member, or of the whole secret; else what is wrong with it, without anything of it. */
export function pick(
  value: ManagedValue,
  key: string | undefined,
  format: SecretMapping['valueFormat'],
): Result<string, string> {
  const found = key === undefined ? wholeOf(value) : memberOf(value, key);
  if (!found.ok) return found;
  const text = format === 'Json' ? toJsonText(found.value) : toText(found.value);
  return text === undefined
    ? err(format === 'Json' ? 'is no JSON object there' : 'is no text there; valueFormat Json takes objects')
    : ok(text);
}

function wholeOf(value: ManagedValue): Result<unknown, string> {
  if (value.kind === 'text') return ok(value.text);
  const [only, ...others] = Object.values(value.members);
  return only === undefined || others.length > 0 ? err('has not exactly one member: name one by key') : ok(only);
}

function memberOf(value: ManagedValue, key: string): Result<unknown, string> {
  const members = value.kind === 'members' ? value.members : parseMembers(value.text);
  if (members === undefined) return err('has no members: it is no JSON object');
  return Object.hasOwn(members, key) ? ok(members[key]) : err(`has no member ${key}`);
}

function parseMembers(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed = parseJson(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/[\r\n]+$/, '');
  return text === '' ? undefined : text;
}

function toJsonText(value: unknown): string | undefined {
  if (isObject(value)) return JSON.stringify(value);
  return typeof value === 'string' && parseMembers(value) !== undefined ? value.trim() : undefined;
}
