/** Finds what has no effect here: variables that do not reach the provider they were set for, and webhooks for alerts. */
import { formatPath, isObject } from '@gatehouse/crds';
import { API_KEY, PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import type { FieldPath } from './documents.ts';
import type { FileObject } from './objects.ts';
import { byPosition, type FileProblem } from './problem.ts';
import { readSecret, variableOf } from './secrets.ts';

/** An object and its file. */
export interface LocatedObject {
  readonly file: string;
  readonly object: FileObject;
}

interface RemarkOptions {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Ports of this machine where a mock provider answers. */
  readonly mockPorts: readonly number[];
}

/** Remarks about accounts, Secrets and webhooks, ordered by file and position. */
export function remarksOf(located: Iterable<LocatedObject>, options: RemarkOptions): readonly FileProblem[] {
  const remarks: FileProblem[] = [];
  for (const { file, object } of located) {
    const found = remarksAbout(object, options);
    const label = `${object.kind}/${object.name}`;
    for (const { path, message } of found) {
      remarks.push({ file, ...object.locate(path), object: label, path: formatPath(path), message });
    }
  }
  return remarks.sort(byPosition);
}

function remarksAbout(object: FileObject, options: RemarkOptions): readonly Remark[] {
  if (object.kind === 'Secret') return secretRemarks(object, options);
  return object.kind === 'Organisation' ? alertRemarks(object) : accountRemarks(object, options);
}

interface Remark {
  readonly path: FieldPath;
  readonly message: string;
}

/** A value in the file takes precedence over its variable; an entry that is empty in both is missing. */
function secretRemarks({ name, value }: FileObject, { variables }: RemarkOptions): readonly Remark[] {
  return [...readSecret(value).data].flatMap(([entry, text]) => {
    const variable = variableOf(name, entry);
    const [isSet, isEmpty] = [(variables[variable] ?? '') !== '', text === ''];
    if (isSet === isEmpty) return []; // taken from the variable, or from the file alone
    const member = isObject(value['stringData']) && entry in value['stringData'] ? 'stringData' : 'data';
    const message = isSet
      ? `${variable} is set, but this value is used: leave it empty to use the variable`
      : `the value is empty, and ${variable} is not set`;
    return [{ path: [member, entry], message }];
  });
}

function alertRemarks({ value: { spec } }: FileObject): readonly Remark[] {
  const webhooks = isObject(spec) ? spec['alertWebhooks'] : undefined;
  if (!Array.isArray(webhooks) || webhooks.length === 0) return [];
  const message = 'the operator of a cluster sends alerts, a standalone process sends none: it has metrics of budgets';
  return [{ path: ['spec', 'alertWebhooks'], message }];
}

function accountRemarks({ kind, value }: FileObject, { variables, mockPorts }: RemarkOptions): readonly Remark[] {
  if (kind !== 'VirtualKey' && kind !== 'Integration') return [];
  const { spec } = value;
  const account: Readonly<Record<string, unknown>> = isObject(spec) ? spec : {};
  const { customHost, secretRef, provider } = account;
  if (typeof customHost !== 'string' || !isMock(customHost, mockPorts) || !isObject(secretRef)) return [];
  const { name, key } = secretRef;
  if (typeof name !== 'string') return [];
  const set = entriesOf(provider, key)
    .map((entry) => variableOf(name, entry))
    .filter((variable) => (variables[variable] ?? '') !== '');
  if (set.length === 0) return [];
  const message = `${set.join(', ')} is set, but customHost sends the calls to the mock provider: remove customHost to call the provider itself`;
  return [{ path: ['spec', 'customHost'], message }];
}

/** The entries of its Secret that an account reads. */
function entriesOf(provider: unknown, key: unknown): readonly string[] {
  if (typeof key === 'string') return [key];
  const entry = typeof provider === 'string' ? PROVIDER_CATALOGUE.get(provider) : undefined;
  return entry === undefined ? [API_KEY] : secretFieldsOf(entry);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isMock(url: string, ports: readonly number[]): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && LOOPBACK.test(parsed.hostname) && ports.includes(Number(parsed.port));
}
