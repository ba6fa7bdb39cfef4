/** Pod settings of fleets and sidecars. */
import { z } from 'zod';
import { atomicList, mapList, pattern, type Rule, stringMap, text, withRules } from '../../schema/index.ts';
import { requiredQuantity } from './quantity.ts';
import { secretKeyRef } from './refs.ts';

const quantity = (description: string) => requiredQuantity(description).optional();

const amounts = (description: string) =>
  z
    .strictObject({
      cpu: quantity('cpu is in cores, e.g. 500m.'),
      memory: quantity('memory is in bytes, e.g. 256Mi.'),
      'ephemeral-storage': quantity('ephemeral-storage is in bytes, e.g. 1Gi.'),
    })
    .meta({ description })
    .optional();

/** Requests and limits of a container. */
export const resources = z
  .strictObject({
    requests: amounts('requests are what the scheduler reserves.'),
    limits: amounts('limits are what the container may use at most.'),
  })
  .meta({ description: 'resources are the compute resources of the container.' });

export const image = text(
  "image is the gateway image, by tag or by digest (registry.example.com/gatehouse-gateway@sha256:…); absent: the image of the operator's own release.",
  512,
);

export const imagePullPolicy = z
  .enum(['Always', 'IfNotPresent', 'Never'])
  .meta({ description: 'imagePullPolicy is when the node pulls the image.' });

export const logLevel = z
  .enum(['debug', 'info', 'warn', 'error'])
  .default('info')
  .meta({ description: 'logLevel is the least severe level that is logged.' });

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const envName = (description: string) =>
  pattern(ENV_NAME, 'a name of letters, digits and underscores', 128).meta({ description });

const ENV_RULES: readonly Rule<{ value?: unknown; secretRef?: unknown }>[] = [
  {
    cel: 'has(self.value) != has(self.secretRef)',
    message: 'exactly one of value and secretRef is needed',
    holds: ({ value, secretRef }) => (value !== undefined) !== (secretRef !== undefined),
    valid: [
      { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
      { name: 'TOKEN', secretRef: { name: 'proxy', key: 'token' } },
    ],
    invalid: [{ name: 'TOKEN' }, { name: 'TOKEN', value: 'x', secretRef: { name: 'proxy', key: 'token' } }],
  },
];

/** Environment variables of the gateway container. */
export const env = mapList(
  withRules(
    z.strictObject({
      name: envName('name is the name of the variable.'),
      value: z.string().max(8192).meta({ description: 'value is the value itself.' }).optional(),
      secretRef: secretKeyRef('secretRef takes the value from a Secret.').optional(),
    }),
    ENV_RULES,
  ),
  ['name'],
  { description: 'env are further environment variables of the gateway container.', max: 100 },
);

const requirement = z.strictObject({
  key: text('key is the label key.', 316),
  operator: z
    .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
    .meta({ description: 'operator relates the label to values.' }),
  values: atomicList(z.string().max(63), 'values are compared by In and NotIn.', 64).optional(),
});

/** A selector of objects by label; an empty one selects all. */
export const labelSelector = (description: string) =>
  z
    .strictObject({
      matchLabels: stringMap('matchLabels are labels that must be equal.', 32, 63).optional(),
      matchExpressions: atomicList(requirement, 'matchExpressions must all hold.', 32).optional(),
    })
    .meta({ description });
