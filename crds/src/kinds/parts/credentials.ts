/** The members of an account at a provider, which VirtualKey and Integration share. */
import { z } from 'zod';
import { deployment, type SecretRef, secretRef, settings } from '../../config/index.ts';
import { HEADER_VALUE } from '../../headers/index.ts';
import { createSuggestions, didYouMean } from '../../lib/suggestions.ts';
import {
  API_KEY,
  canAuthenticate,
  fieldProblems,
  PROVIDER_CATALOGUE,
  secretFieldsOf,
  settingsProblems,
} from '../../providers/index.ts';
import {
  atomicList,
  httpUrl,
  type Issue,
  mapList,
  pattern,
  type Rule,
  stringMap,
  text,
  withRules,
} from '../../schema/index.ts';
import { nameRef, secretKeyRef } from './refs.ts';

type Deployments = readonly { readonly isDefault?: boolean | undefined }[];

const ONE_DEFAULT: Rule<Deployments> = {
  cel: 'self.filter(d, has(d.isDefault) && d.isDefault).size() <= 1',
  message: 'at most one deployment can be the default',
  reason: 'FieldValueDuplicate',
  holds: (deployments) => deployments.filter((item) => item.isDefault).length <= 1,
  valid: [[{ deploymentId: 'a', isDefault: true }, { deploymentId: 'b' }]],
  invalid: [
    [
      { deploymentId: 'a', isDefault: true },
      { deploymentId: 'b', isDefault: true },
    ],
  ],
};

/** An id of the provider catalogue, or one of `others`. */
export const providerId = (description: string, others: readonly string[] = []) =>
  z.enum([...PROVIDER_CATALOGUE.keys(), ...others]).meta({ description });

// RFC 9110 token: what a header name is made of.
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const headerValue = z.string().regex(HEADER_VALUE, 'expected a header value: no line end, no control character');

/** Headers by name. */
export const headerMap = (description: string) =>
  stringMap(description, 64, 8192, headerValue)
    .superRefine((headers, context) => {
      for (const name of Object.keys(headers)) {
        if (!HEADER_NAME.test(name)) context.addIssue({ code: 'custom', message: 'not a header name', path: [name] });
      }
    })
    .meta({ webhookOnly: 'a structural schema cannot check the names of map members' });

export const headerName = (description: string) => pattern(HEADER_NAME, 'a header name', 256).meta({ description });

/** Headers whose values are entries of Secrets. */
export const headersFrom = mapList(
  z.strictObject({
    name: headerName('name is the name of the header.'),
    secretRef: secretKeyRef('secretRef names the Secret entry with the value.'),
  }),
  ['name'],
  {
    description:
      'headersFrom are headers with values from Secrets of the same namespace; they replace those of headers.',
    max: 32,
  },
);

/** Whether an overload in the first event of a stream is a failure. `of`: what it applies to. */
export const overloadSwitch = (of: 'account' | 'fleet') =>
  z.boolean().meta({
    description:
      "inspectStreamForOverload true counts a provider's overload error in the first event of a stream as status 529, so that it is retried and falls back" +
      (of === 'account' ? '; absent: as the gateway is set.' : ', for accounts that do not say.'),
  });

/** One secret field and where its value is. */
const secretMapping = z.strictObject({
  field: pattern(/^[a-zA-Z][a-zA-Z0-9_]*$/, 'the name of a field', 128).meta({
    description: 'field is the secret field, as in the provider reference; api_key is the API key.',
  }),
  secretReferenceRef: nameRef(
    'secretReferenceRef names the SecretReference: one of the namespace, else one of the organisation that allows the workspace.',
  ),
  key: text('key is the member of the secret; absent: that of the SecretReference.', 253).optional(),
  valueFormat: z
    .enum(['Text', 'Json'])
    .meta({
      description: 'valueFormat Json takes a JSON object as its text; Text takes a text, a number or a boolean.',
    })
    .default('Text'),
});

export type SecretMapping = z.output<typeof secretMapping>;

/** The members for calls to a provider; the provider id is separate, since it is immutable in some Kinds. */
export const connectionFields = {
  secretRef: secretRef.optional(),
  settings: settings.optional(),
  customHost: httpUrl('customHost replaces the base URL of the provider, version segment included.').optional(),
  headers: headerMap("headers are sent with every call and replace the provider's own.").optional(),
  headersFrom: headersFrom.optional(),
  secretMappings: mapList(secretMapping, ['field'], {
    description:
      'secretMappings take secret fields of the provider from SecretReferences; they replace those of the Secret.',
    max: 32,
  }).optional(),
  deployments: withRules(atomicList(deployment, 'deployments map model names to deployments of the account.', 100), [
    ONE_DEFAULT,
  ]).optional(),
  inspectStreamForOverload: overloadSwitch('account').optional(),
  proxyPaths: z
    .enum(['DataPlane', 'All'])
    .meta({
      description:
        'proxyPaths are the paths that proxied calls may reach with the credential: DataPlane allows those that the reference ' +
        'lists for the provider, All also allows administrative ones.',
    })
    .default('DataPlane'),
};

interface Connection {
  readonly provider: string;
  readonly secretRef?: SecretRef | undefined;
  readonly secretMappings?: readonly Pick<SecretMapping, 'field'>[] | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly customHost?: string | undefined;
  readonly deployments?: readonly unknown[] | undefined;
}

/** Whether the members are enough to call the provider. The keys of a Secret are checked where it is read. */
export function checkConnection(spec: Connection): Issue[] {
  const provider = PROVIDER_CATALOGUE.get(spec.provider);
  if (provider === undefined) return [];
  const problem = (path: readonly string[], message: string): Issue => ({
    code: 'invalid',
    path: ['spec', ...path],
    message,
  });
  const given = givenFields(spec, secretFieldsOf(provider));
  const unknown = mappingIssues(spec.secretMappings, secretFieldsOf(provider));
  const has = (key: string) => given.has(key);
  const issues = settingsProblems(provider, Object.keys(spec.settings ?? {})).map(({ key, message }) =>
    problem(['settings', key], message),
  );
  issues.push(...fieldProblems(provider, has).map((message) => problem(['settings'], message)));
  // A custom host may need no key: a model server inside the cluster.
  if (!canAuthenticate(provider, has) && spec.customHost === undefined) {
    issues.push(problem(['secretRef'], `provider ${provider.id} needs a credential`));
  }
  return [...issues, ...unknown];
}

/** Mappings of what is no secret field. */
export const mappingIssues = (
  mappings: readonly Pick<SecretMapping, 'field'>[] = [],
  secretFields: readonly string[],
): Issue[] =>
  mappings.flatMap(({ field }, i): Issue[] => {
    if (secretFields.includes(field)) return [];
    const suggest = createSuggestions();
    const message = `it is no secret field${didYouMean(suggest(field, secretFields))}`;
    return [{ code: 'invalid', path: ['spec', 'secretMappings', i, 'field'], message }];
  });

function givenFields(spec: Connection, secretFields: readonly string[]): ReadonlySet<string> {
  const given = new Set(Object.keys(spec.settings ?? {}));
  if (spec.secretRef?.key !== undefined) given.add(API_KEY);
  else if (spec.secretRef !== undefined) for (const field of secretFields) given.add(field);
  for (const { field } of spec.secretMappings ?? []) given.add(field);
  if (spec.customHost !== undefined) given.add('custom_host');
  if (spec.deployments !== undefined) given.add('deployments');
  return given;
}
