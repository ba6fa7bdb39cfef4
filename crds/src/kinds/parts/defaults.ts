import { z } from 'zod';
import { flag, mapList, stringMap, text } from '../../schema/index.ts';
import { nameRef } from './refs.ts';

export const displayName = text('displayName is shown to people and may change.', 255);
export const description = text('description is the purpose of the object.');

/** Metadata added to requests: docs/behaviour/requests.md#metadata. */
export const requestMetadata = stringMap(
  'metadata is added to the metadata of requests and replaces members of the same name.',
  64,
  128,
);

export const configRef = nameRef('configRef names the GatewayConfig for requests that bring no config.');

/** Defaults for the requests of one caller. */
export const requestDefaults = z
  .strictObject({
    metadata: requestMetadata.optional(),
    configRef: configRef.optional(),
    allowConfigOverride: flag(
      'allowConfigOverride false refuses requests that bring a config or name a provider.',
      true,
    ),
  })
  .meta({ description: 'defaults apply to requests that do not set these values themselves.' });

export const guardrailRefs = (description: string) =>
  mapList(nameRef('A Guardrail.'), ['name'], { description, max: 32 });
