/** Affinity of pods, as in Kubernetes: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ */
import { z } from 'zod';
import { atomicList, int, namespaceName, text } from '../../schema/index.ts';
import { labelSelector } from './pod.ts';

const MAX_TERMS = 16;

const nodeRequirement = z.strictObject({
  key: text('key is the label key, or the name of the field.', 316),
  operator: z
    .enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])
    .meta({ description: 'operator relates the label to values.' }),
  values: atomicList(z.string().max(63), 'values are compared by In, NotIn, Gt and Lt.', 64).optional(),
});

const nodeTermFields = {
  matchExpressions: atomicList(nodeRequirement, 'matchExpressions are about labels; all must hold.', 32).optional(),
  matchFields: atomicList(nodeRequirement, 'matchFields are about fields; all must hold.', 8).optional(),
};

const weight = int('weight is how much the term counts.', 1, 100);

const nodeAffinity = z
  .strictObject({
    requiredDuringSchedulingIgnoredDuringExecution: z
      .strictObject({
        nodeSelectorTerms: atomicList(
          z.strictObject(nodeTermFields),
          'nodeSelectorTerms are alternatives: a node has to meet one.',
          MAX_TERMS,
        ),
      })
      .meta({ description: 'requiredDuringSchedulingIgnoredDuringExecution is what a node has to meet.' })
      .optional(),
    preferredDuringSchedulingIgnoredDuringExecution: atomicList(
      z.strictObject({
        weight,
        preference: z.strictObject(nodeTermFields).meta({ description: 'preference is what a preferred node meets.' }),
      }),
      'preferredDuringSchedulingIgnoredDuringExecution are preferences among nodes.',
      MAX_TERMS,
    ).optional(),
  })
  .meta({ description: 'nodeAffinity chooses nodes by their labels and fields.' });

const podTermFields = {
  labelSelector: labelSelector('labelSelector selects the other pods; absent: none.').optional(),
  topologyKey: text('topologyKey is the node label whose values count as one place.', 316),
  namespaces: atomicList(
    namespaceName('A namespace.'),
    'namespaces are where the other pods are; absent: the namespace of the fleet. Refused in the namespace of a Workspace.',
    32,
  ).optional(),
  namespaceSelector: labelSelector(
    'namespaceSelector selects namespaces of the other pods by label. Refused in the namespace of a Workspace.',
  ).optional(),
  matchLabelKeys: atomicList(
    text('A label key.', 316),
    'matchLabelKeys are labels that must have the value of the pod itself.',
    8,
  ).optional(),
  mismatchLabelKeys: atomicList(
    text('A label key.', 316),
    'mismatchLabelKeys are labels that must not have the value of the pod itself.',
    8,
  ).optional(),
};

const podTerms = (what: string, name: 'podAffinity' | 'podAntiAffinity') =>
  z
    .strictObject({
      requiredDuringSchedulingIgnoredDuringExecution: atomicList(
        z.strictObject(podTermFields),
        `requiredDuringSchedulingIgnoredDuringExecution are pods that a place must ${what}; all must hold.`,
        MAX_TERMS,
      ).optional(),
      preferredDuringSchedulingIgnoredDuringExecution: atomicList(
        z.strictObject({
          weight,
          podAffinityTerm: z
            .strictObject(podTermFields)
            .meta({ description: `podAffinityTerm are pods that a preferred place should ${what}.` }),
        }),
        'preferredDuringSchedulingIgnoredDuringExecution are preferences among places.',
        MAX_TERMS,
      ).optional(),
    })
    .meta({ description: `${name} chooses places by the pods that they ${what}.` });

/** Where the scheduler may and should put the pods. */
export const affinity = z
  .strictObject({
    nodeAffinity: nodeAffinity.optional(),
    podAffinity: podTerms('have', 'podAffinity').optional(),
    podAntiAffinity: podTerms('not have', 'podAntiAffinity').optional(),
  })
  .meta({ description: 'affinity is where the scheduler may and should put the pods, as in Kubernetes.' });
