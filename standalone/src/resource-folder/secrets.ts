/** Secrets of the folder, completed by environment variables. */
import { isObject } from '@gatehouse/crds';
import type { Lookup, SecretData } from '@gatehouse/operator/translate';
import { SECRET_PREFIX } from '../variables.ts';
import type { FieldPath } from './documents.ts';

export interface ReadSecret {
  readonly data: ReadonlyMap<string, string>;
  readonly problems: readonly { readonly path: FieldPath; readonly message: string }[];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The entries of a `v1/Secret`: `data` decoded, `stringData` in precedence, as on the API server. A key without a value is an empty
 * entry.
 */
export function readSecret(value: Readonly<Record<string, unknown>>): ReadSecret {
  const data = new Map<string, string>();
  const problems: { path: FieldPath; message: string }[] = [];
  for (const [member, read] of MEMBERS) {
    const entries = value[member] ?? {};
    if (!isObject(entries)) {
      problems.push({ path: [member], message: 'expected a map of strings' });
      continue;
    }
    for (const [name, text] of Object.entries(entries)) {
      const content = contentOf(text, read);
      if (content !== undefined) data.set(name, content);
      else problems.push({ path: [member, name], message: EXPECTED[member] });
    }
  }
  return { data, problems };
}

function contentOf(value: unknown, read: (text: string) => string | undefined): string | undefined {
  if (value === null) return '';
  return typeof value === 'string' ? read(value) : undefined;
}

const MEMBERS = [
  ['data', (text: string) => decode(text.replace(/\s/g, ''))],
  ['stringData', (text: string) => text],
] as const;

const EXPECTED = {
  data: 'expected base64; put plain text into stringData',
  stringData: 'expected a string; put numbers and booleans in quotes',
} as const;

const decode = (text: string): string | undefined =>
  BASE64.test(text) ? Buffer.from(text, 'base64').toString('utf8') : undefined;

const toVariablePart = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '_');

/** The variable that completes an entry of a Secret. */
export const variableOf = (secret: string, entry: string): string =>
  `${SECRET_PREFIX}${toVariablePart(secret)}_${toVariablePart(entry)}`;

/** Adds values from environment variables to Secrets, by name, whatever their namespace. */
export type EnvironmentSecrets = (secrets: ReadonlyMap<string, SecretData>) => Lookup<SecretData>;

/**
 * Completes Secrets of the folder by variables: a value that is missing or empty in the folder is taken from its variable. The
 * result for a Secret is the same object as long as its content in the folder does not change.
 */
export function createEnvironmentSecrets(variables: Readonly<Record<string, string | undefined>>): EnvironmentSecrets {
  const names = Object.keys(variables).filter((name) => name.startsWith(SECRET_PREFIX));
  const alone = new Map<string, SecretData>();
  const layered = new WeakMap<SecretData, SecretData>();

  const fromVariables = (name: string): SecretData | undefined => {
    const prefix = `${SECRET_PREFIX}${toVariablePart(name)}_`;
    if (!names.some((variable) => variable.startsWith(prefix))) return undefined;
    const known = alone.get(prefix) ?? { get: (entry) => variables[prefix + toVariablePart(entry)] };
    alone.set(prefix, known);
    return known;
  };
  const layer = (own: SecretData, below: SecretData): SecretData => {
    const known = layered.get(own) ?? { get: (entry) => own.get(entry) || below.get(entry) };
    layered.set(own, known);
    return known;
  };
  return (secrets) => ({
    get: (key) => {
      const own = secrets.get(key);
      const below = fromVariables(key.slice(key.indexOf('/') + 1));
      return own === undefined || below === undefined ? (own ?? below) : layer(own, below);
    },
  });
}

/** Texts that are no secrets for Secrets that are missing, for who looks at resources and calls nothing. */
export function createStandIns(): (secrets: Lookup<SecretData>) => Lookup<SecretData> {
  const made = new Map<string, SecretData>();
  const standIn = (key: string): SecretData => {
    const known = made.get(key) ?? { get: (entry) => `stand-in for ${entry} of ${key}` };
    made.set(key, known);
    return known;
  };
  return (secrets) => ({ get: (key) => secrets.get(key) ?? standIn(key) });
}
