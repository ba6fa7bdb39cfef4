/** Headers of an MCP integration: their values go into a Secret, and never to another address than the one they were given for. */
import type { Issue } from '@gatehouse/crds';
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { mcpIntegrations } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { invalid } from '../../http/rest-error.ts';
import type { SecretDraft } from '../../store/index.ts';
import { MASK } from '../masks.ts';

export type Configurations = z.output<typeof mcpIntegrations.update.body>['configurations'];
type Spec = ResourceOf<'McpIntegration'>['spec'];
type References = NonNullable<Spec['headersFrom']>;

interface HeadersOfDraft {
  readonly headersFrom: References | undefined;
  readonly secret: SecretDraft | undefined;
  readonly retired: readonly string[];
}

interface Known {
  readonly before: Pick<Spec, 'headers' | 'headersFrom'>;
  /** Of the Secret that a new integration gets. */
  readonly secretName: string;
  /** Of another one, for another address. */
  readonly newSecretName: () => string;
  /** Whether the address changes. */
  readonly isMoved: boolean;
}

const problem = (path: Issue['path'], message: string) =>
  invalid([{ code: 'invalid', path: ['configurations', ...path], message }], 'body');

type Given = ReadonlyMap<string, { readonly name: string; readonly value: string | null }>;

/** The given headers, by their names in lower case; undefined: they stay. Throws RestError INVALID. */
function givenHeaders(configurations: Configurations): Given | undefined {
  const { custom_headers: custom, headers } = configurations ?? {};
  if (custom === undefined && headers === undefined) return undefined;
  const given = new Map<string, { readonly name: string; readonly value: string | null }>();
  for (const [name, value] of Object.entries({ ...custom, ...headers })) {
    if (given.has(name.toLowerCase())) throw problem(['headers', name], 'the header is given twice');
    given.set(name.toLowerCase(), { name, value });
  }
  return given;
}

/** Undefined: the headers stay as they are. Throws RestError INVALID. */
export function toHeaders(configurations: Configurations, known: Known): HeadersOfDraft | undefined {
  const { before, isMoved } = known;
  const given = givenHeaders(configurations);
  if (isMoved) refuseMove(given, before);
  if (given === undefined) return undefined;
  const old = before.headersFrom ?? [];
  const kept = old.filter(({ name }) => !isMoved && given.get(name.toLowerCase())?.value === MASK);
  refuseMasks(given, kept, isMoved);
  const fresh = [...given].flatMap(([key, { name, value }]) =>
    value === null || value === MASK ? [] : [{ name, value, key: entryOf(key) }],
  );
  const secretName = secretNameOf(known);
  const headersFrom = [...kept, ...fresh.map(({ name, key }) => ({ name, secretRef: { name: secretName, key } }))];
  const used = new Set(headersFrom.map(({ secretRef }) => secretRef.name));
  const entries = Object.fromEntries(fresh.map(({ key, value }) => [key, value]));
  return {
    headersFrom: headersFrom.length === 0 ? undefined : headersFrom,
    secret: fresh.length === 0 ? undefined : { name: secretName, entries },
    retired: [...new Set(old.map(({ secretRef }) => secretRef.name))].filter((one) => !used.has(one)),
  };
}

function secretNameOf({ before, isMoved, secretName, newSecretName }: Known): string {
  const own = before.headersFrom?.[0]?.secretRef.name;
  if (own === undefined) return secretName;
  return isMoved ? newSecretName() : own;
}

function refuseMove(given: Given | undefined, { headers, headersFrom }: Known['before']): void {
  if (headers !== undefined) {
    const message = 'the resource has headers, which would go to another address; change it where they are written';
    throw problem(['headers'], message);
  }
  if (given === undefined && headersFrom !== undefined) throw problem(['headers'], SEND_ANEW);
}

/** A mask stands for a value that is kept. */
function refuseMasks(given: Given, kept: References, isMoved: boolean): void {
  for (const [key, { name, value }] of given) {
    if (value !== MASK || kept.some((one) => one.name.toLowerCase() === key)) continue;
    throw problem(['headers', name], isMoved ? SEND_ANEW : 'the value is a mask: send the value itself');
  }
}

const SEND_ANEW = 'the values of the headers would go to another address: send them along';

/** Keys of Secrets have letters, digits, dots, dashes and underscores: other characters of a header name are written as codes. */
const entryOf = (header: string): string =>
  `header.${header.replaceAll(/[^a-z0-9-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`)}`;

/** As answers have them. */
export const showHeaders = ({ headers = {}, headersFrom = [] }: Pick<Spec, 'headers' | 'headersFrom'>) =>
  Object.fromEntries([...Object.keys(headers), ...headersFrom.map(({ name }) => name)].map((name) => [name, MASK]));
