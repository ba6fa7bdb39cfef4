import { z } from 'zod';
import { objectName } from '../../schema/index.ts';

const texts = z.record(z.string(), z.string());

/** Metadata of a Kubernetes object: the members that are read; all others are kept. */
export const objectMeta = z
  .looseObject({
    name: objectName('name is the name of the object, its slug in requests.'),
    namespace: z.string().max(63).optional(),
    uid: z.string().max(128).optional(),
    generation: z.int().min(0).optional(),
    resourceVersion: z.string().max(1024).optional(),
    labels: texts.optional(),
    annotations: texts.optional(),
    creationTimestamp: z.string().nullish(),
    deletionTimestamp: z.string().nullish(),
    finalizers: z.array(z.string()).optional(),
  })
  .meta({ description: 'metadata is the metadata of the Kubernetes object.' });

export type ObjectMeta = Readonly<z.output<typeof objectMeta>>;
