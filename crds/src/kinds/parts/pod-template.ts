/** Settings that are copied into the pod template of a fleet. */
import { z } from 'zod';
import { atomicList, int, mapList, objectName, stringMap, text, withRules } from '../../schema/index.ts';
import { affinity } from './affinity.ts';
import { nameRef } from './refs.ts';
import { VOLUME_MOUNT_RULES, volumeMembers } from './volumes.ts';

const toleration = z.strictObject({
  key: text('key is the taint key; absent: any.', 316).optional(),
  operator: z.enum(['Exists', 'Equal']).meta({ description: 'operator compares the value.' }).optional(),
  value: z.string().max(63).meta({ description: 'value is the taint value.' }).optional(),
  effect: z
    .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
    .meta({ description: 'effect is the taint effect; absent: any.' })
    .optional(),
  tolerationSeconds: int(
    'tolerationSeconds is how long a NoExecute taint is tolerated, in seconds.',
    0,
    31_536_000,
  ).optional(),
});

export const podTemplate = withRules(
  z
    .strictObject({
      labels: stringMap('labels are added to the pods.', 32, 63).optional(),
      annotations: stringMap('annotations are added to the pods.', 64, 8192).optional(),
      nodeSelector: stringMap('nodeSelector are labels that nodes must have.', 32, 63).optional(),
      tolerations: atomicList(toleration, 'tolerations allow the pods on tainted nodes.', 32).optional(),
      priorityClassName: objectName('priorityClassName is the priority class of the pods.').optional(),
      imagePullSecrets: mapList(nameRef('A Secret.'), ['name'], {
        description: 'imagePullSecrets are Secrets with registry credentials.',
        max: 8,
      }).optional(),
      serviceAccountAnnotations: stringMap(
        'serviceAccountAnnotations are added to the ServiceAccount of the pods, e.g. for the workload identity of a cloud.',
        32,
        8192,
      ).optional(),
      affinity: affinity.optional(),
      ...volumeMembers,
    })
    .meta({ description: 'pod is added to the pod template.' }),
  VOLUME_MOUNT_RULES,
);
