import { z } from 'zod';
import { flag, mapList, stringMap, text } from '../../schema/index.ts';
import { nameRef } from './refs.ts';

export const displayName = text('displayName is shown to people; free to change.', 255);
export const description = text('description says what the object is for.');

/** Metadata laid over that of requests; values are cut to 128 characters in logs (behaviour-lifecycle 1.6). */
export const requestMetadata = stringMap('metadata is laid over the metadata of requests.', 64, 128);

export const configRef = nameRef('configRef names the GatewayConfig that requests without a config of their own use.');

/** What requests of one caller get when they do not say otherwise. */
export const requestDefaults = z
  .strictObject({
    metadata: requestMetadata.optional(),
    configRef: configRef.optional(),
    allowConfigOverride: flag('allowConfigOverride false refuses requests that bring a config of their own.', true),
  })
  .meta({ description: 'defaults hold for requests that do not say otherwise.' });

export const guardrailRefs = (description: string) =>
  mapList(nameRef('A Guardrail.'), ['name'], { description, max: 32 });
