/** The built-in checks with all of their names and parameters, written out: what configs of others rely on. */
import { describe, expect, test } from 'vitest';
import { parseCheck } from './parse-check.ts';
import { CHECK_ENTRIES, checkEntryOf } from './register.ts';

interface BuiltIn {
  readonly aliases?: readonly string[];
  readonly phases: 'input' | 'output' | 'both';
  /** Every parameter with its default; undefined: required, null: optional without a default. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly callsOut?: true;
  readonly transforms?: true;
}

const OPERATOR_ANY = { operator: 'any' };
const CALL = { timeout: 3_000, forwardHeaders: null };

const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  regexMatch: { phases: 'both', parameters: { rule: undefined, not: false } },
  sentenceCount: { phases: 'both', parameters: { minSentences: 0, maxSentences: 99_999, not: false } },
  wordCount: { phases: 'both', parameters: { minWords: 0, maxWords: 99_999, not: false } },
  characterCount: { phases: 'both', parameters: { minCharacters: 0, maxCharacters: 9_999_999, not: false } },
  alluppercase: { phases: 'both', parameters: { not: false } },
  alllowercase: { aliases: ['isAllLowerCase'], phases: 'both', parameters: { not: false } },
  endsWith: { phases: 'both', parameters: { suffix: undefined, not: false } },
  contains: { phases: 'both', parameters: { words: undefined, ...OPERATOR_ANY } },
  jsonSchema: { phases: 'both', parameters: { schema: undefined, not: false } },
  jsonKeys: { phases: 'both', parameters: { keys: undefined, ...OPERATOR_ANY } },
  containsCode: { phases: 'both', parameters: { format: undefined, not: false } },
  notNull: { phases: 'both', parameters: { not: false } },
  validUrls: {
    phases: 'output',
    parameters: { onlyDNS: false, resolverURL: 'https://1.1.1.1/dns-query', timeout: 3_000, not: false },
    callsOut: true,
  },
  modelWhitelist: { aliases: ['modelwhitelist'], phases: 'both', parameters: { models: undefined, not: false } },
  modelRules: { phases: 'both', parameters: { rules: undefined, not: false } },
  allowedRequestTypes: { phases: 'both', parameters: { allowedTypes: null, blockedTypes: null } },
  requiredMetadataKeys: { phases: 'input', parameters: { metadataKeys: undefined, operator: 'all' } },
  requiredMetadataKeyPairs: {
    aliases: ['requiredMetadataKeyValuePairs'],
    phases: 'input',
    parameters: { metadataPairs: undefined, operator: 'all', matchType: 'exact' },
  },
  requestParametersCheck: {
    phases: 'input',
    parameters: {
      tools: { blockedTypes: [], allowedTypes: [], blockedFunctionNames: [], allowedFunctionNames: [] },
      params: { blockedKeys: [], allowedKeys: [], values: {} },
    },
  },
  jwt: {
    phases: 'input',
    parameters: {
      ...{ jwks: null, jwksUri: null, introspectEndpoint: null, headerKey: 'Authorization', algorithms: ['RS256'] },
      ...{ cacheMaxAge: 86_400, clockTolerance: 5, maxTokenAge: '1d', introspectCacheMaxAge: null },
      ...{ introspectContentType: 'application/x-www-form-urlencoded', requiredClaims: [], claimValues: {} },
      ...{ headerPayloadMatch: [], extractClaims: [], claimPrefix: 'x-jwt-' },
    },
    callsOut: true,
    transforms: true,
  },
  regexReplace: {
    phases: 'both',
    parameters: { rule: undefined, redactText: '[REDACTED]', failOnDetection: false },
    transforms: true,
  },
  addPrefix: {
    phases: 'input',
    parameters: { prefix: undefined, applyToRole: 'user', addToExisting: true, onlyIfEmpty: false },
    transforms: true,
  },
  inlineImageUrls: {
    phases: 'input',
    parameters: { providers: [], maxSizeBytes: 20_971_520, timeoutMs: 30_000 },
    callsOut: true,
    transforms: true,
  },
  webhook: {
    phases: 'both',
    parameters: { webhookURL: undefined, headers: null, ...CALL },
    callsOut: true,
    transforms: true,
  },
  log: { phases: 'output', parameters: { logURL: undefined, headers: null, ...CALL }, callsOut: true },
};

/** The default of a parameter as the table says it: undefined where it is required, null where it is absent. */
const defaultOf = (schema: { safeParse(value: unknown): { success: boolean; data?: unknown } }): unknown => {
  const { success, data } = schema.safeParse(undefined);
  return success ? (data ?? null) : undefined;
};

test('the plugin default has these checks, and three of our own', () => {
  const ids = CHECK_ENTRIES.map(({ id }) => id).filter((id) => id.startsWith('default.'));
  const own = ['default.pii', 'default.promptInjection', 'default.moderation'];
  expect(ids.toSorted()).toEqual([...Object.keys(BUILT_IN).map((name) => `default.${name}`), ...own].toSorted());
});

describe.for(Object.entries(BUILT_IN))(
  'default.%s',
  ([name, { aliases = [], phases, parameters, callsOut, transforms }]) => {
    const entry = checkEntryOf(name);

    test('has its parameters and their defaults', () => {
      const shape = Object.entries(entry?.parameters.shape ?? {});
      expect(Object.fromEntries(shape.map(([name, schema]) => [name, defaultOf(schema)]))).toEqual(parameters);
    });

    test('has its names, phases and properties', () => {
      expect(entry).toMatchObject({
        id: `default.${name}`,
        phases: phases === 'both' ? ['input', 'output'] : [phases],
      });
      expect([entry?.aliases ?? [], entry?.callsOut, entry?.transforms]).toEqual([
        aliases.map((alias) => `default.${alias}`),
        callsOut,
        transforms,
      ]);
      for (const alias of aliases) expect(checkEntryOf(alias)).toBe(entry);
    });

    test.for([name, ...aliases])('is suggested for a mistyped %s', (written) => {
      const mistyped = `${written.slice(0, 2)}${written.slice(3)}`;
      for (const id of [mistyped, `default.${mistyped}`]) {
        const parsed = parseCheck({ id }, { path: [], literalCredentials: true });
        expect(parsed.ok ? [] : parsed.error.map(({ message }) => message)).toEqual([
          `unknown check ${id}; did you mean default.${name}?`,
        ]);
      }
    });
  },
);

test.for([
  ['sentenceCount', { minSentences: 3, maxSentences: 2 }, 'minSentences'],
  ['wordCount', { minWords: 3, maxWords: 2 }, 'minWords'],
  ['wordCount', { minWords: 100_000 }, 'minWords'],
  ['characterCount', { minCharacters: 1, maxCharacters: 0 }, 'minCharacters'],
] as const)('%s refuses a range that no text is in: %j', ([id, parameters, field]) => {
  const parsed = parseCheck({ id, parameters }, { path: [], literalCredentials: true });
  expect(parsed.ok ? [] : parsed.error.map(({ path }) => path.at(-1))).toEqual([field]);
});
