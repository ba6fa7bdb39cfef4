import { z } from 'zod';
import { secretKey } from '../../config/index.ts';
import { objectName } from '../../schema/index.ts';

/** A reference to an object by name, in the namespace of the referring object unless the field says otherwise. */
export const nameRef = (description: string) =>
  z.strictObject({ name: objectName('name is the name of the object.') }).meta({ description });

/** One entry of a Secret of the same namespace. */
export const secretKeyRef = (description: string) =>
  z
    .strictObject({
      name: objectName('name is the name of the Secret.'),
      key: secretKey('key is the entry of the Secret.'),
    })
    .meta({ description });
