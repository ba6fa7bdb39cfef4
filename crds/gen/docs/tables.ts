/** Reference pages of the contract's data tables. */
import { POSITIVE_CONDITIONS, REASONS } from '../../src/conditions/index.ts';
import { ERRORS, type ErrorRow } from '../../src/errors/index.ts';
import { API_KEY_TYPES, SCOPES } from '../../src/kinds/index.ts';
import { CONVENTIONS, PROVIDER_CATALOGUE, type ProviderEntry } from '../../src/providers/index.ts';
import { code, page, table } from './markdown.ts';

const SHAPES: Readonly<Record<ErrorRow['shape'], string>> = {
  key: 'key',
  validation: 'validation',
  openai: 'OpenAI',
  provider: 'provider',
  blocked: 'blocked',
  route: 'plain',
};

const FALLBACK: Readonly<Record<ErrorRow['fallback'], string>> = {
  status: 'by its status',
  'stop-unless-listed': 'only if the status is listed',
  stop: 'never',
};

/** Every error of the data plane. */
export function errorsPage(): string {
  const rows = Object.entries<ErrorRow>(ERRORS).map(([name, row]) => [
    code(name),
    String(row.status),
    row.wireCode === null ? '' : code(row.wireCode),
    code(row.type),
    SHAPES[row.shape],
    row.retryable ? 'yes' : '',
    FALLBACK[row.fallback],
    row.summary,
  ]);
  return page('Errors', [
    'The first column is the internal code, as in logs and metrics; `code` and `type` are what clients get.',
    table(['code', 'status', '`code`', '`type`', 'body', 'worth a retry', 'falls back', 'meaning'], rows),
  ]);
}

/** Condition types and reasons. */
export function conditionsPage(): string {
  return page('Conditions', [
    `${POSITIVE_CONDITIONS.map(code).join(', ')} and \`Ready\` are always present; True is good, and \`Ready\` summarises the others. ` +
      '`Reconciling`, `Stalled`, `Expired` and `Exhausted` exist only while they are true: `Reconciling` ends by itself, `Stalled` ' +
      'needs a change by a person, `Expired` means that `spec.expiresAt` has passed, and `Exhausted` that a budget is used up, ' +
      'which leaves `Ready` as it is.',
    table(
      ['reason', 'on', 'meaning'],
      Object.entries(REASONS).map(([reason, { on, summary }]) => [
        code(reason),
        on.map(code).join(', ') || 'events',
        summary,
      ]),
    ),
  ]);
}

/** Providers and the fields of their targets. */
export function providersPage(): string {
  const plain = [...PROVIDER_CATALOGUE.values()].filter(
    ({ fields, requires }) => fields.length + requires.length === 0,
  );
  const special = [...PROVIDER_CATALOGUE.values()].filter((entry) => !plain.includes(entry));
  return page('Providers', [
    'In a resource, fields are in `settings` and credentials in the Secret that `secretRef` names, under the names given ' +
      'here. In an inline config all are members beside `provider`; in a request each has a header.',
    'The kind of a field decides who may set it for a stored account. `call`: a feature of one call; its header is always ' +
      'accepted. `setting`: how the account is called; an inline config may set what the resource does not. ' +
      '`routing`: host, service, region, role, scope, project, deployment, bucket or key; only the owner of the account. ' +
      '`secret`: a credential; only from the Secret. A call that brings its own credential may set all of them.',
    '## With an API key alone',
    plain.map(({ id }) => code(id)).join(', '),
    ...special.flatMap(providerSection),
    ...conventionSection(),
  ]);
}

function conventionSection(): string[] {
  const list = (names: readonly string[]) => names.map(code).join(' or ');
  return [
    '## Conventional variables',
    '`gatehouse standalone` without `--resources` serves each provider whose variables are set. Those in the last column may be set, too.',
    table(
      ['provider', 'variables', 'optional'],
      [...CONVENTIONS].map(([id, { variables, needs }]) => {
        const names = (isNeeded: boolean): string =>
          Object.entries(variables)
            .filter(([field]) => needs.includes(field) === isNeeded)
            .map(([, found]) => list(found))
            .join(', ');
        return [code(id), names(true), names(false)];
      }),
    ),
  ];
}

function providerSection({ id, fields, requires, credentials }: ProviderEntry): string[] {
  const list = (names: readonly string[]) => names.map(code).join(' or ');
  return [
    `## ${id}`,
    [
      `Authenticates with ${credentials.length === 0 ? 'no credential, or with its fields' : list(credentials)}.`,
      ...requires.map((group) => `Needs ${list(group)}.`),
    ].join(' '),
    fields.length === 0
      ? ''
      : table(
          ['field', 'header', 'kind', 'note'],
          fields.map(({ key, header, kind, note, unserved }) => [
            code(key),
            header === undefined ? '' : code(header),
            kind,
            unserved === undefined ? (note ?? '') : `refused: ${unserved} not part of this version`,
          ]),
        ),
  ];
}

/** Scopes of API keys, and which types of keys may have them. */
export function scopesPage(): string {
  return page('Scopes', [
    '`resource:action` is the same as `resource.action`.',
    table(
      ['scope', ...API_KEY_TYPES],
      [...SCOPES].map(([scope, types]) => [
        code(scope),
        ...API_KEY_TYPES.map((type) => (types.includes(type) ? 'yes' : '')),
      ]),
    ),
  ]);
}
